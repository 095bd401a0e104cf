// Starts the page: draws the state that came with it, then follows the events. Read this first.
import { CRAWL_ACTIONS } from './actions.js';
import { get } from './api.js';
import { drawBelow, startBelow } from './below.js';
import { byId, put } from './dom.js';
import { follow } from './events.js';
import { clock } from './format.js';
import { drawHeader } from './header.js';
import { startMenu } from './menu.js';
import { Rates } from './rates.js';
import { Sites } from './sites.js';
import { applied, ENDED, wholeState } from './state.js';

let state = wholeState(JSON.parse(byId('state').textContent));
let lastWord = Date.now();
let isBroken = false;
let isAsking = false; // for the whole state; events until it comes are of no use
let unread = []; // events as text: parsed and applied in the next frame, together
let frame = 0;
let updates = 0;
let rates = null;

const sites = new Sites(() => requestDraw());
startMenu(() => state);
startBelow();
draw();
byId('rest').hidden = false;
rates = new Rates(state.sites.length);
byId('actions').addEventListener('click', (event) => CRAWL_ACTIONS[event.target.dataset.do]?.(state));
document.addEventListener('visibilitychange', () => document.hidden || requestDraw());
follow({
  seq: () => state.seq, heard, broken, whole,
  isBusy: () => state.phase === 'running' || state.phase === 'stopping',
  hasEnded: () => state.phase in ENDED,
});

function heard(text) {
  lastWord = Date.now();
  isBroken = false;
  unread.push(text);
  // A hidden page gets no frames; what it hears is applied at once, so that nothing piles up.
  if (document.hidden) applyUnread();
  else requestDraw();
}

function whole() {
  isBroken = false;
  requestDraw();
}

function broken() {
  isBroken = true;
  requestDraw();
}

function requestDraw() {
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    const isNews = unread.length > 0;
    const start = performance.now();
    applyUnread();
    draw();
    if (isNews) measured(start);
  });
}

function applyUnread() {
  const texts = unread;
  unread = [];
  if (isAsking) return;
  for (const text of texts) {
    if (applied(state, JSON.parse(text))) continue;
    return startAnew();
  }
}

/** Asks for the whole state when events do not fit what we have, as after weir was started again. */
async function startAnew() {
  isAsking = true;
  try {
    state = wholeState(await get('/api/state'));
  } catch {
    isBroken = true; // the next event leads here again
  }
  isAsking = false;
  requestDraw();
}

function draw() {
  drawHeader(state, () => sites.showDanger());
  sites.draw(state);
  drawBelow(state);
  drawBanner();
  rates?.setLive(!isBroken && !(state.phase in ENDED));
}

function drawBanner() {
  const end = ENDED[state.phase];
  const banner = byId('banner');
  banner.hidden = !isBroken && !end;
  banner.dataset.level = end ? 'ended' : 'broken';
  document.body.dataset.link = isBroken && !end ? 'broken' : 'whole';
  put(banner, end ? `The crawl has ended: ${end}` : isBroken ? `No word from weir since ${clock(lastWord)}; trying again` : '');
}

// Tests read these; a page that stays open for days must not keep them all.
function measured(start) {
  if (++updates % 600 === 0) performance.clearMeasures('weir-update');
  performance.measure('weir-update', { start, end: performance.now() });
}
