// The list of sites. Only rows in or near the visible part are in the document, so a thousand sites cost what twenty do.
import { byId, make, mark, put } from './dom.js';
import { count, plural, tick } from './format.js';
import { COLUMNS, ordered } from './order.js';
import { Row } from './row.js';
import { ENDED } from './state.js';
import { axis } from './timeline.js';

const MARGIN_ROWS = 4;

export class Sites {
  /** `changed` is called when the list must be drawn again without news, as after scrolling. */
  constructor(changed) {
    this.list = byId('list');
    this.body = byId('list-body');
    this.view = { text: '', state: 'all', column: 'state', falling: false };
    this.rows = new Map();
    this.spare = [];
    this.order = [];
    this.changed = changed;
    this.makeHead();
    this.list.addEventListener('scroll', () => this.scroll(), { passive: true });
    new ResizeObserver(() => this.measure()).observe(this.list);
    byId('filter').addEventListener('input', (e) => this.look({ text: e.target.value }));
    byId('state-filter').addEventListener('change', (e) => this.look({ state: e.target.value }));
    byId('sort').addEventListener('change', (e) => this.sortBy(e.target.value));
    this.height = rowHeight();
    this.visible = innerHeight;
    this.scrolled = 0;
  }

  makeHead() {
    const cells = COLUMNS.map((column) => {
      const button = make('button', { type: 'button', onclick: () => this.sortBy(column.id) }, column.name);
      return make('div', { role: 'columnheader', className: column.num ? 'num' : '', 'data-column': column.id }, button);
    });
    this.axisCell = make('div', { className: 'axis' });
    cells.push(make('div', { role: 'columnheader', 'aria-label': 'Timeline' }, this.axisCell));
    cells.push(make('div', { role: 'columnheader' }, make('span', { className: 'unseen' }, 'Actions')));
    byId('list-head').append(...cells);
    byId('sort').append(...COLUMNS.map((c) => make('option', { value: c.id }, `Sort: ${c.name.toLowerCase()}`)));
    this.markSorted();
  }

  markSorted() {
    for (const cell of byId('list-head').querySelectorAll('[data-column]')) {
      const sorted = cell.dataset.column === this.view.column;
      mark(cell, 'aria-sort', sorted ? (this.view.falling ? 'descending' : 'ascending') : 'none');
    }
    byId('sort').value = this.view.column;
  }

  sortBy(id) {
    const same = this.view.column === id;
    this.look({ column: id, falling: same ? !this.view.falling : !!COLUMNS.find((c) => c.id === id).falling });
    this.markSorted();
  }

  look(view) {
    Object.assign(this.view, view);
    this.stale = true;
    if (this.scrolled) this.list.scrollTop = this.scrolled = 0;
    this.changed();
  }

  showDanger() {
    byId('state-filter').value = 'danger';
    this.look({ state: 'danger' });
    byId('sites').scrollIntoView();
  }

  // Read here and not while drawing, where it would make the browser lay out the page at once.
  scroll() {
    this.scrolled = this.list.scrollTop;
    this.changed();
  }

  measure() {
    const height = rowHeight();
    if (height === this.height && this.list.clientHeight === this.visible) return;
    this.height = height;
    this.visible = this.list.clientHeight;
    this.changed();
  }

  draw(state) {
    this.sort(state);
    this.axis = axis(this.order, state.at.now);
    this.drawFrame(state);
    const first = Math.max(0, Math.floor(this.scrolled / this.height) - MARGIN_ROWS);
    const end = Math.min(this.order.length, Math.ceil((this.scrolled + this.visible) / this.height) + MARGIN_ROWS);
    this.drawRows(first, end, state.role === 'operator' && !(state.phase in ENDED));
  }

  // While somebody is on a row with the keyboard or in its menu, rows stay where they are.
  sort(state) {
    const held = this.body.contains(document.activeElement) && document.activeElement !== this.body;
    if (held && !this.stale && this.known === state.sites.length && this.of === state.sites) return;
    this.order = ordered(state.sites, this.view);
    this.known = state.sites.length;
    this.of = state.sites;
    this.stale = false;
  }

  drawFrame(state) {
    const total = this.order.length * this.height;
    if (this.total !== total) this.body.style.height = `${(this.total = total)}px`;
    mark(byId('table'), 'aria-rowcount', String(this.order.length + 1));
    byId('list-empty').hidden = this.order.length > 0;
    const all = state.sites.length;
    put(byId('list-empty'), all ? 'No site matches.' : 'There are no sites yet.');
    put(byId('shown'), this.order.length === all ? plural(all, 'site') : `${count(this.order.length)} of ${plural(all, 'site')}`);
    const { step_s, ticks } = this.axis;
    const key = `${step_s} ${ticks}`;
    if (this.axisKey === key) return;
    this.axisKey = key;
    this.list.style.setProperty('--tick', `${100 / ticks}%`);
    const labels = Array.from({ length: ticks }, (_, i) => make('span', {}, i ? tick(i * step_s) : 'now'));
    labels.forEach((label, i) => (label.style.left = `${(i / ticks) * 100}%`));
    this.axisCell.replaceChildren(...labels);
  }

  drawRows(first, end, mayAct) {
    const wanted = this.order.slice(first, end);
    const kept = new Set(wanted);
    for (const [site, row] of this.rows) {
      if (kept.has(site)) continue;
      this.rows.delete(site);
      this.spare.push(row);
    }
    let before = this.body.firstElementChild;
    wanted.forEach((site, i) => {
      let row = this.rows.get(site);
      if (!row) this.rows.set(site, (row = this.spare.pop() ?? new Row()));
      row.show(site, first + i, this.axis, mayAct, this.height);
      // The order in the document is that on the screen, for the Tab key and for screen readers.
      if (row.element === before) before = before.nextElementSibling;
      else this.body.insertBefore(row.element, before);
    });
    for (const row of this.spare) row.element.remove();
    this.spare.length = Math.min(this.spare.length, 40);
  }
}

function rowHeight() {
  return parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row'));
}
