// What stands below the sites: downloaders, next and past rounds, warnings, errors, and the search for a URL.
import { get } from './api.js';
import { byId, fillList, fillTable, make, put } from './dom.js';
import { clock, count, duration, rate, size } from './format.js';
import { time } from './state.js';

const NEXT_RUNS = 8;
const num = (name) => ({ name, kind: 'num' });
const text = (name) => ({ name, kind: 'text' });
const DOWNLOADERS = [text('Name'), { name: 'Connected' }, num('Slots'), num('Under way'), num('Rate'), num('Share'), num('Pages'), num('Failed'), num('Last seen')];
const ERRORS = [{ name: 'Kind' }, num('Count'), { name: 'Last' }, text('Example')];
const ROUNDS = [text('Site'), num('Round'), { name: 'Began' }, { name: 'Finished' }, num('Pages'), num('Received'), { name: 'Deadline' }];

export function startBelow() {
  byId('rounds').addEventListener('toggle', (event) => event.target.open && drawRounds());
  byId('why-form').addEventListener('submit', searchUrl);
}

export function drawBelow(state) {
  const now = state.at.now;
  byId('downloaders').hidden = !state.downloaders.length;
  fillTable(byId('downloaders-table'), DOWNLOADERS, state.downloaders.map((d) => [
    d.name ?? d.id, d.connected ? 'yes' : 'no', count(d.slots), count(d.under_way), rate(d.rate), rate(d.share), count(d.pages), count(d.failed),
    d.last_seen_s == null ? '–' : `${duration(d.last_seen_s)} ago`]));
  const said = [...(state.troubles ?? []), ...state.warnings];
  fillList(byId('warnings'), said.length ? said : ['None.']);
  byId('errors-table').hidden = !state.errors.length;
  byId('errors-none').hidden = state.errors.length > 0;
  fillTable(byId('errors-table'), ERRORS, state.errors.map((e) => [e.kind, count(e.count), clock(time(e.last), now), e.example ?? '']));
  drawNextRuns(state.sites, now);
}

function drawNextRuns(sites, now) {
  const next = sites.filter((site) => site.at.next_round != null).sort((a, b) => a.at.next_round - b.at.next_round);
  const recurring = next.length > 0 || sites.some((site) => site.round > 1);
  byId('next-runs').hidden = !next.length;
  byId('rounds').hidden = !recurring;
  fillList(byId('next-list'), next.slice(0, NEXT_RUNS).map((site) => `${clock(site.at.next_round, now)}  ${site.site}, in ${duration((site.at.next_round - now) / 1000)}`));
}

async function drawRounds() {
  try {
    const rounds = await get('/api/rounds');
    byId('rounds-table').hidden = !rounds.length;
    put(byId('rounds-word'), rounds.length ? '' : 'No round has ended yet.');
    fillTable(byId('rounds-table'), ROUNDS, rounds.map((r) => [
      r.site, count(r.round), clock(time(r.began)), clock(time(r.finished)), count(r.pages), size(r.bytes_wire), metWord(r)]));
  } catch (error) {
    put(byId('rounds-word'), error.message);
  }
}

function metWord({ deadline, met, late_by_s }) {
  if (deadline == null) return 'none';
  return met ? 'in time' : `late by ${duration(late_by_s)}`;
}

async function searchUrl(event) {
  event.preventDefault();
  const result = byId('why-result');
  result.replaceChildren(make('p', { className: 'muted' }, 'Searching …'));
  try {
    const answer = await get(`/api/why?url=${encodeURIComponent(byId('why-input').value.trim())}`);
    const lines = answer.lines.length ? answer.lines : ['weir has never seen this URL'];
    result.replaceChildren(...lines.map((line) => make('p', {}, line)));
  } catch (error) {
    result.replaceChildren(make('p', { role: 'alert', className: 'wrong' }, error.message));
  }
}
