// The top of the page: the verdict with its reasons, the phase, when it will be done, and the numbers.
import { byId, make, mark, put } from './dom.js';
import { clock, count, duration, plural, rate, rateInUnitOf, size } from './format.js';
import { ENDED, time } from './state.js';

const LEVELS = { good: 'on time', danger: 'in danger', late: 'late', none: 'no deadlines', unknown: 'not known yet' };
const REASONS = 3;

/** `showDanger` is called when somebody asks for all sites in danger. */
export function drawHeader(state, showDanger) {
  drawVerdict(state, showDanger);
  drawWhen(state);
  drawNumbers(state);
  put(byId('name'), state.name ?? '');
  put(byId('version'), `weir ${state.version}`);
  byId('actions').hidden = state.role !== 'operator' || state.phase in ENDED;
  document.querySelector('[data-do=reload]').hidden = !state.is_service;
}

function drawVerdict(state, showDanger) {
  const { level, text, sites } = state.verdict;
  const verdict = byId('verdict');
  if (verdict.dataset.level !== level || !verdict.dataset.drawn) {
    // Said aloud when the level changes only: the seconds in the text change all the time.
    if (verdict.dataset.drawn) put(byId('said'), text);
    verdict.dataset.level = level;
    verdict.dataset.drawn = 'yes';
    verdict.querySelector('use').setAttribute('href', `#icon-${level}`);
    verdict.querySelector('svg').setAttribute('aria-label', LEVELS[level] ?? level);
    document.title = `${LEVELS[level] ?? level} – ${state.name ?? 'weir'}`;
  }
  put(byId('verdict-text'), text);
  drawReasons(byId('reasons'), sites, state, showDanger);
}

function drawReasons(list, sites, state, showDanger) {
  const lines = sites.length > REASONS ? sites.slice(0, REASONS - 1) : sites;
  const items = lines.map(({ site, why }) => [site, why ? `: ${why}` : '']);
  if (!items.length) items.push(nextDeadline(state));
  const more = sites.length - lines.length;
  const key = JSON.stringify([items, more]);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(...items.map(([site, why]) => make('li', { title: site + why }, make('b', {}, site), why)));
  if (more) {
    const all = make('button', { type: 'button', onclick: showDanger }, `and ${plural(more, 'more site')}: show them`);
    list.append(make('li', {}, all));
  }
}

function nextDeadline(state) {
  let next = null;
  for (const site of state.sites) {
    if (site.state === 'done' || site.at.deadline == null) continue;
    if (!next || site.at.deadline < next.at.deadline) next = site;
  }
  if (!next) return ['', ''];
  const spare = next.at.finish == null ? null : (next.at.deadline - next.at.finish) / 1000;
  const room = spare > 0 ? `, expected ${duration(spare)} before it` : '';
  return [next.site, ` has the next deadline: ${clock(next.at.deadline, state.at.now)}${room}`];
}

function drawWhen(state) {
  const now = state.at.now;
  const ended = state.phase in ENDED;
  put(byId('phase'), state.phase);
  put(byId('finish-word'), ended ? 'Ended' : 'Done about');
  put(byId('finish'), clock(ended ? state.at.finished : time(state.finish?.expected), now));
  const { low, high } = state.finish ?? {};
  const band = low && high && !ended;
  put(byId('finish-band'), band ? `${clock(time(low), now)} – ${clock(time(high), now)}` : '–');
  put(byId('elapsed'), duration(state.elapsed_s));
}

function drawNumbers({ totals, intake, at }) {
  const { limit } = intake;
  put(byId('rate'), limit == null ? rate(intake.rate) : rateInUnitOf(intake.rate, limit));
  put(byId('limit-of'), limit == null ? '' : 'of');
  put(byId('limit'), limit == null ? 'no cap' : rate(limit));
  mark(byId('rate'), 'data-value', String(intake.rate));
  mark(byId('limit'), 'data-value', limit == null ? null : String(limit));
  byId('rate-bar').style.width = limit ? `${Math.min(100, (intake.rate / limit) * 100).toFixed(1)}%` : '0';
  put(byId('pages'), count(totals.pages));
  put(byId('pages-more'), `of ${plural(totals.known, 'known URL')}`);
  put(byId('waiting'), count(totals.waiting));
  put(byId('waiting-more'), `${count(totals.in_flight)} under way`);
  put(byId('failed'), count(totals.failed));
  put(byId('failed-more'), `of ${plural(totals.fetches, 'fetch', 'fetches')}`);
  put(byId('sites-done'), `${count(totals.sites_done)} of ${count(totals.sites)}`);
  put(byId('sites-more'), totals.deadlines ? `${count(totals.late)} of ${plural(totals.deadlines, 'deadline')} late` : 'no deadlines');
  put(byId('bytes'), size(totals.bytes_wire));
  const paused = intake.paused_until && `paused until ${clock(time(intake.paused_until), at.now)}`;
  put(byId('bytes-more'), paused || `mean ${rate(intake.mean_rate)}`);
}
