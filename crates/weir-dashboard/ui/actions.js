// Every action: which fields its dialog has, and which body is posted for them.
import { openAction } from './dialog.js';
import { make } from './dom.js';
import { typedRate } from './format.js';

/** Actions on the whole crawl, by the name in the API. */
export const CRAWL_ACTIONS = { limit: changeCap, add: addSite, stop, reload };
/** Actions on one site. */
export const SITE_ACTIONS = { pause, deadline: changeDeadline, weight: changeWeight };

function changeCap(state) {
  const { limit } = state.intake;
  openAction({
    title: 'Change the cap',
    confirm: 'Change cap',
    missing: 'Write the new cap.',
    fields: [field('limit', 'Cap of the whole crawl', { value: limit == null ? 'none' : typedRate(limit) }, 'for example 2MB/s or 800kbit/s; none takes it away')],
    body: (form) => filled(form, 'limit') && { do: 'limit', limit: filled(form, 'limit') },
  });
}

function addSite() {
  const more = make('details', {}, make('summary', {}, 'More'), make('div', { className: 'pair' },
    field('weight', 'Weight', { inputMode: 'decimal' }, 'its part of what is to spare; 1 if empty'),
    field('limit', 'Highest rate', {}, 'for example 500KB/s'),
    field('max_pages', 'Most pages', { inputMode: 'numeric' }, 'no bound if empty'),
    field('depth', 'Depth', { inputMode: 'numeric' }, 'links to follow from the start')));
  openAction({
    title: 'Add a site',
    confirm: 'Add site',
    missing: 'Write the address where the site begins.',
    fields: [field('url', 'Address', { type: 'url', placeholder: 'https://example.com/' }), ...dueFields(null, 'none'), more],
    body: (form) => filled(form, 'url') && {
      do: 'add', url: filled(form, 'url'), ...due(form), ...numbers(form, ['weight', 'max_pages', 'depth']),
      ...(filled(form, 'limit') && { limit: filled(form, 'limit') }),
    },
  });
}

function stop() {
  openAction({ title: 'Stop the crawl', confirm: 'Stop', grave: true, fields: [make('p', {}, 'What is under way is finished; the crawl can go on later.')], body: () => ({ do: 'stop' }) });
}

function reload() {
  openAction({ title: 'Reload', confirm: 'Reload', fields: [make('p', {}, 'weir reads weir.toml again.')], body: () => ({ do: 'reload' }) });
}

function pause(state, site) {
  const paused = site.state === 'paused';
  openAction({
    title: `${paused ? 'Resume' : 'Pause'} ${site.site}`,
    confirm: paused ? 'Resume' : 'Pause',
    fields: [make('p', {}, paused ? 'Its pages are asked for again.' : 'Nothing new is asked of it; what is under way ends.')],
    body: () => ({ do: paused ? 'resume' : 'pause', site: site.site }),
  });
}

function changeDeadline(state, site) {
  openAction({
    title: `Deadline of ${site.site}`,
    confirm: 'Change deadline',
    missing: 'Write the deadline.',
    fields: dueFields(site.at.deadline, site.at.deadline == null ? 'within' : 'by'),
    body: (form) => (form.elements.due.value === 'none' || due(form)) && { do: 'deadline', site: site.site, ...due(form) },
  });
}

function changeWeight(state, site) {
  openAction({
    title: `Weight of ${site.site}`,
    confirm: 'Change weight',
    missing: 'Write the weight.',
    fields: [field('weight', 'Weight', { value: String(site.weight ?? 1), inputMode: 'decimal' }, 'sites share what deadlines leave by their weights; 1 is usual')],
    body: (form) => filled(form, 'weight') && { do: 'weight', site: site.site, ...numbers(form, ['weight']) },
  });
}

// A deadline is chosen in the time of this browser and sent in UTC, so it does not matter where weir runs.
function dueFields(deadline, chosen) {
  const choice = (value, word) => make('label', {}, make('input', { type: 'radio', name: 'due', value, checked: value === chosen }), word);
  const within = field('within', 'Done within', { value: '1h' }, 'from now, for example 90s, 30m or 2h');
  const by = field('by', 'Done by', { type: 'datetime-local', step: '1', value: localTime(deadline ?? Date.now() + 3600e3) });
  const choices = make('div', { className: 'choices', role: 'radiogroup', 'aria-label': 'Deadline' }, choice('within', 'Within'), choice('by', 'By a time'), choice('none', 'No deadline'));
  const show = (value) => {
    within.hidden = value !== 'within';
    by.hidden = value !== 'by';
  };
  choices.addEventListener('change', (event) => show(event.target.value));
  show(chosen);
  return [choices, within, by];
}

function due(form) {
  const chosen = form.elements.due.value;
  const value = chosen !== 'none' && filled(form, chosen);
  if (!value) return null;
  return chosen === 'by' ? { by: new Date(value).toISOString() } : { within: value };
}

function field(name, word, properties = {}, hint = '') {
  const input = make('input', { name, autocomplete: 'off', spellcheck: false, ...properties });
  return make('label', { className: 'field' }, make('span', {}, word), input, ...(hint ? [make('small', {}, hint)] : []));
}

function filled(form, name) {
  return form.elements[name].value.trim() || null;
}

// What is not a number goes to weir as it is: its answer says what to write instead.
function numbers(form, names) {
  const given = names.filter((name) => filled(form, name)).map((name) => [name, filled(form, name)]);
  return Object.fromEntries(given.map(([name, text]) => [name, Number.isNaN(+text) ? text : +text]));
}

function localTime(ms) {
  const at = new Date(ms);
  return new Date(ms - at.getTimezoneOffset() * 60e3).toISOString().slice(0, 19);
}
