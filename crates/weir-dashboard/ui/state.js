// What is known of the crawl: the state as weir sent it, and what has changed since. Only this file changes it.
// Each site also gets `at` (its times in milliseconds), `trouble` and `revision` (counts its changes, so that rows know when to be redrawn).

/** All phases after which nothing more happens, in words. */
export const ENDED = {
  complete: 'all is done',
  interrupted: 'it was stopped, and can go on later',
  limit: 'it has reached its limit',
  failed: 'it has failed',
};

/** Makes a whole state, from the page or `/api/state`, ready to be shown. */
export function wholeState(state) {
  for (const site of state.sites) note(site, site);
  return timed(state);
}

/** Applies one event. Returns null when it does not fit what we have, and the whole state must be asked for. */
export function applied(state, event) {
  if (event.seq < state.seq || event.started !== state.started) return null; // weir was started again and counts anew
  const sites = state.sites;
  for (const [id, fields] of event.sites) {
    const site = sites[id];
    if (site) {
      Object.assign(site, fields);
      note(site, fields);
    } else if (id === sites.length && fields.site !== undefined) {
      sites.push({ id, ...fields });
      note(sites[id], fields);
    } else return null;
  }
  Object.assign(state, event, { sites });
  return timed(state);
}

const TIMES = ['deadline', 'finish', 'finish_low', 'finish_high', 'finished', 'next_round'];

function note(site, fields) {
  site.at ??= {};
  for (const name of TIMES) if (name in fields) site.at[name] = time(fields[name]);
  site.revision = (site.revision ?? 0) + 1;
  site.trouble = site.late_by_s > 0 ? 'late' : site.danger ? 'danger' : null;
}

function timed(state) {
  state.at = { now: time(state.now), finished: time(state.finished) };
  return state;
}

export function time(text) {
  return text == null ? null : Date.parse(text);
}

/** How much of a site is done, from 0 to 1; by bytes where its size is predicted, by URLs otherwise. Null when neither is known. */
export function progress(site) {
  if (site.state === 'done') return 1;
  if (site.predicted_bytes > 0) return Math.min(site.bytes_wire / site.predicted_bytes, 0.99);
  return site.known > 0 ? Math.min(site.done / site.known, 1) : null;
}
