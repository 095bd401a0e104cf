// The dialog of every action: its fields, what weir says would come of it, and only then the button that does it.
import { post } from './api.js';
import { byId, make } from './dom.js';
import { previewOf } from './preview.js';

const REST_MS = 300; // after the last key, before weir is asked

/** `action`: `{title, confirm, grave, fields, body}`; `body(form)` is what is posted, or null while something is missing. */
export function openAction(action) {
  const form = make('form', { method: 'dialog', noValidate: true });
  const preview = make('section', { className: 'preview', 'data-testid': 'preview', 'data-state': 'loading', 'aria-live': 'polite', 'aria-label': 'What would happen' });
  const confirm = make('button', { type: 'submit', className: action.grave ? 'main grave' : 'main', 'data-testid': 'confirm', disabled: true }, action.confirm);
  const dialog = shell(form, action.title, [...action.fields, preview], [confirm]);

  let timer, asked;
  const show = (state, ...parts) => {
    preview.dataset.state = state;
    confirm.disabled = state !== 'ready';
    if (parts.length) preview.replaceChildren(make('h3', {}, 'What would happen'), ...parts);
  };
  const fail = (error) => show('error', make('p', { role: 'alert', className: 'wrong' }, error.message));

  async function ask() {
    const body = action.body(form);
    asked?.abort();
    if (!body) return show('loading', make('p', { className: 'muted' }, action.missing));
    asked = new AbortController();
    try {
      show('ready', ...previewOf(await post('/api/preview', body, asked.signal)));
    } catch (error) {
      if (error.name !== 'AbortError') fail(error);
    }
  }

  form.addEventListener('input', () => {
    asked?.abort();
    show('loading');
    clearTimeout(timer);
    timer = setTimeout(ask, REST_MS);
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (confirm.disabled) return;
    confirm.disabled = true;
    try {
      const answer = await post('/api/actions', action.body(form));
      dialog.close();
      toast(answer.text);
    } catch (error) {
      fail(error);
    }
  });
  dialog.addEventListener('close', () => {
    clearTimeout(timer);
    asked?.abort();
  });
  show('loading', make('p', { className: 'muted' }, 'Asking the planner …'));
  ask();
}

/** A dialog that only tells. */
export function openFacts(title, facts) {
  const list = make('dl', { className: 'facts' }, ...facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
  shell(make('form', { method: 'dialog' }), title, [list], []);
}

function shell(form, title, body, buttons) {
  const heading = make('h2', { id: 'dialog-title' }, title);
  const dialog = make('dialog', { 'data-testid': 'dialog', 'aria-labelledby': 'dialog-title' }, form);
  const close = make('button', { type: 'button', onclick: () => dialog.close() }, buttons.length ? 'Cancel' : 'Close');
  form.append(heading, make('div', { className: 'dialog-body' }, ...body), make('div', { className: 'dialog-foot' }, close, ...buttons));
  const from = document.activeElement;
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (from?.isConnected) from.focus({ preventScroll: true });
  });
  byId('toast').hidden = true;
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

let fading;
function toast(text) {
  const note = byId('toast');
  note.hidden = false;
  note.textContent = text;
  clearTimeout(fading);
  fading = setTimeout(() => (note.hidden = true), 8_000);
}
