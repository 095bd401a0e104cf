// What an action would change, as weir's planner answers it: in words, before and after, and the sites that move.
import { make } from './dom.js';
import { clock, count, duration, plural, rate } from './format.js';
import { time } from './state.js';

const SITES = 40;

export function previewOf(answer) {
  const parts = [make('p', {}, answer.text)];
  if (answer.before && answer.after) parts.push(beforeAndAfter(answer.before, answer.after));
  if (answer.sites?.length) parts.push(...moved(answer.sites));
  return parts;
}

function beforeAndAfter(before, after) {
  const rows = [
    ['Deadlines missed', count(before.late), count(after.late), tone(before.late, after.late)],
    ['Done about', clock(time(before.finish)), clock(time(after.finish))],
    ['Cap', capWord(before.limit), capWord(after.limit)],
  ];
  if (before.needed_limit != null || after.needed_limit != null) {
    rows.push(['Least cap for all deadlines', rate(before.needed_limit), rate(after.needed_limit)]);
  }
  return table(['Whole crawl', 'Now', 'After'], rows);
}

function moved(sites) {
  const rows = sites.slice(0, SITES).map((s) => [
    s.site,
    finishWord(s.finish_before, s.late_before_s),
    finishWord(s.finish_after, s.late_after_s),
    tone(s.late_before_s ?? 0, s.late_after_s ?? 0),
  ]);
  const all = [table([plural(sites.length, 'site moves', 'sites move'), 'Now', 'After'], rows)];
  if (sites.length > SITES) all.push(make('p', { className: 'muted' }, `and ${count(sites.length - SITES)} more`));
  return all;
}

function table(head, rows) {
  const titles = make('tr', {}, ...head.map((text) => make('th', { scope: 'col' }, text)));
  const body = rows.map(([name, before, after, className = '']) =>
    make('tr', {}, make('td', {}, name), make('td', {}, before), make('td', { className }, after)));
  return make('table', {}, make('thead', {}, titles), make('tbody', {}, ...body));
}

function tone(before, after) {
  return after > before ? 'more-late' : after < before ? 'less-late' : '';
}

function finishWord(finish, late_s) {
  return clock(time(finish)) + (late_s > 0 ? `\nlate by ${duration(late_s)}` : '');
}

function capWord(limit) {
  return limit == null ? 'none' : rate(limit);
}
