// The few things we do to elements. Writing what is there already costs layout, so `put` and `mark` compare first.

export const byId = (id) => document.getElementById(id);

/** Makes an element: properties by name, `data-…` and `aria-…` as attributes, then its children. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'role') element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

/** Sets the text of an element that has nothing else, keeping its text node. */
export function put(element, text) {
  const node = element.firstChild;
  if (!node) {
    if (text !== '') element.append(text);
  } else if (node.data !== text) node.data = text;
}

/** Sets an attribute, or takes it away when the value is null. */
export function mark(element, name, value) {
  if (value == null) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Makes a table's rows say `rows`, lists of text, leaving cells that have not changed alone. */
export function fillTable(table, columns, rows) {
  if (!table.tHead) {
    table.createTHead().append(make('tr', {}, ...columns.map((c) => make('th', { scope: 'col', className: c.kind ?? '' }, c.name))));
    table.append(make('tbody'));
  }
  const body = table.tBodies[0];
  while (body.rows.length > rows.length) body.deleteRow(-1);
  while (body.rows.length < rows.length) body.append(make('tr', {}, ...columns.map((c) => make('td', { className: c.kind ?? '' }))));
  rows.forEach((row, r) => row.forEach((text, c) => put(body.rows[r].cells[c], text)));
}

/** Makes a list's items say `lines`. */
export function fillList(list, lines) {
  while (list.children.length > lines.length) list.lastChild.remove();
  while (list.children.length < lines.length) list.append(make('li'));
  lines.forEach((line, i) => put(list.children[i], line));
}
