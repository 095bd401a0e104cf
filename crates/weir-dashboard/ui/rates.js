// The two charts: fetches the rates of the last minutes, draws them, and tells the values at the moment that is pointed at.
import { get } from './api.js';
import { drawChart, pickedAt } from './chart.js';
import { byId, make, mark, put } from './dom.js';
import { clock, rate } from './format.js';
import { time } from './state.js';

/** How often the rates of a range are fetched. */
const AGAIN_MS = { 120: 2_000, 600: 4_000, 7200: 10_000 };

export class Rates {
  /** `siteCount` sets the room for the legend before the rates have come. */
  constructor(siteCount) {
    byId('legend').style.setProperty('--legend-rows', String(Math.min(siteCount, 13)));
    this.charts = [byId('chart-rate'), byId('chart-sites')];
    this.seconds = 120;
    this.picked = null;
    this.live = true;
    for (const canvas of this.charts) this.listen(canvas);
    for (const input of document.querySelectorAll('[name=range]')) {
      if (input.checked) this.seconds = +input.value; // a browser keeps it over a reload
      input.addEventListener('change', () => this.show(+input.value));
    }
    new ResizeObserver(() => this.draw()).observe(this.charts[0].parentElement);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
    document.addEventListener('visibilitychange', () => document.hidden || this.fetch());
    this.fetch();
  }

  show(seconds) {
    this.seconds = seconds;
    this.picked = null;
    this.fetch(true);
  }

  /** Whether the crawl runs and weir is there to be asked; afterwards the last picture stays. */
  setLive(live) {
    if (live === this.live) return;
    this.live = live;
    if (live) this.fetch();
  }

  async fetch(isAsked = false) {
    clearTimeout(this.again);
    if (document.hidden || !(this.live || isAsked)) return;
    const seconds = this.seconds;
    try {
      const rates = await get(`/api/rates?seconds=${seconds}`);
      if (seconds === this.seconds) this.take(rates);
    } catch {
      // The banner tells of the break; the chart keeps what it has until it is over.
    }
    clearTimeout(this.again);
    this.again = setTimeout(() => this.fetch(), AGAIN_MS[this.seconds]);
  }

  take(rates) {
    this.rates = rates;
    const sites = rates.sites.map(({ site, rates }, i) => ({ name: site, values: rates, colour: `--s${i}` }));
    const rest = rates.others.some((value) => value > 0) ? [{ name: 'others', values: rates.others, colour: '--s-rest' }] : [];
    this.bySite = [...sites, ...rest];
    if (this.picked >= rates.total.length) this.picked = null;
    this.drawLegend();
    this.draw();
    this.describe();
  }

  draw() {
    if (!this.rates) return;
    const style = getComputedStyle(document.documentElement);
    const coloured = (areas) => areas.map((area) => ({ ...area, colour: style.getPropertyValue(area.colour).trim() }));
    const { step_s, total, limit } = this.rates;
    const common = { step_s, cap: limit, picked: this.picked };
    drawChart(this.charts[0], { ...common, areas: coloured([{ values: total, colour: '--accent', line: true }]) });
    drawChart(this.charts[1], { ...common, areas: coloured(this.bySite) });
    this.tell();
  }

  drawLegend() {
    const legend = byId('legend');
    while (legend.children.length > this.bySite.length) legend.lastChild.remove();
    while (legend.children.length < this.bySite.length) legend.append(make('li', {}, make('i', { className: 'swatch' }), make('span'), make('b')));
    this.bySite.forEach(({ name, colour }, i) => {
      const [swatch, word] = legend.children[i].children;
      swatch.style.background = `var(${colour})`;
      put(word, name);
      mark(word, 'title', name);
    });
  }

  /** Says in words what is under the pointer, or what came last. */
  tell() {
    const { total, limit, until, step_s } = this.rates;
    const last = total.length - 1;
    const i = this.picked ?? last;
    if (last < 0) return;
    const at = clock(time(until) - (last - i) * step_s * 1000);
    const cap = limit[i] == null ? 'no cap' : `of ${rate(limit[i])}`;
    put(byId('rate-readout'), `${at}  ${rate(total[i])} ${cap}`);
    const largest = this.bySite.reduce((a, b) => ((b.values[i] ?? 0) > (a?.values[i] ?? 0) ? b : a), null);
    put(byId('sites-readout'), largest ? `${at}  most: ${largest.name}, ${rate(largest.values[i])}` : at);
    this.bySite.forEach(({ values }, k) => put(byId('legend').children[k].lastChild, rate(values[i] ?? 0)));
  }

  describe() {
    const { total, limit, sites } = this.rates;
    if (!total.length) return;
    const mean = total.reduce((a, b) => a + (b ?? 0), 0) / total.length;
    const cap = limit.at(-1) == null ? 'there is no cap' : `the cap is ${rate(limit.at(-1))}`;
    mark(this.charts[0], 'aria-label', `Rate over time: now ${rate(total.at(-1))}, mean ${rate(mean)}, highest ${rate(Math.max(...total))}; ${cap}. Arrow keys tell the values.`);
    const now = sites.map(({ site, rates }) => `${site} ${rate(rates.at(-1))}`).join(', ');
    mark(this.charts[1], 'aria-label', `Bandwidth by site, now: ${now}. Arrow keys tell the values.`);
  }

  listen(canvas) {
    canvas.addEventListener('pointermove', (event) => this.rates && this.pick(pickedAt(canvas, event.offsetX, this.rates.total.length)));
    canvas.addEventListener('pointerleave', () => this.pick(null));
    canvas.addEventListener('blur', () => this.pick(null));
    canvas.addEventListener('keydown', (event) => {
      const last = (this.rates?.total.length ?? 0) - 1;
      const here = this.picked ?? last;
      const to = { ArrowLeft: here - 1, ArrowRight: here + 1, PageUp: here - 10, PageDown: here + 10, Home: 0, End: last, Escape: null }[event.key];
      if (to === undefined || last < 0) return;
      event.preventDefault();
      // Only keys make it speak: with a pointer or once a second it would never stop.
      canvas.parentElement.querySelector('.readout').setAttribute('aria-live', 'polite');
      this.pick(to === null ? null : Math.min(last, Math.max(0, to)));
    });
    canvas.addEventListener('blur', () => canvas.parentElement.querySelector('.readout').removeAttribute('aria-live'));
  }

  pick(place) {
    if (this.picked === place) return;
    this.picked = place;
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }
}
