// One row of the list. It keeps its elements and writes only what has changed.
import { byId, mark, put } from './dom.js';
import { clock, count, duration, percent, plural, rate, size } from './format.js';
import { progress } from './state.js';
import { place } from './timeline.js';

const PARTS = ['.name', '.round', '.chip', '.c-progress', '.c-progress i', '.part', '.whole', '.c-share', '.c-rate', '.c-pages', '.c-failed',
  '.limited', '.why', '.c-limited', '.finish', '.due', '.gantt', '.run', '.band', '.mark', '.more'];

export class Row {
  constructor() {
    this.element = byId('row-template').content.firstElementChild.cloneNode(true);
    this.parts = Object.fromEntries(PARTS.map((part) => [part, this.element.querySelector(part)]));
    this.element.row = this;
    this.top = -1;
  }

  /** A row that scrolls out of sight is used again for a site that scrolls in. */
  show(site, index, axis, mayAct, height) {
    if (this.site !== site) {
      this.site = site;
      this.revision = -1;
      this.element.dataset.site = site.site;
    }
    const top = index * height;
    if (this.top !== top) {
      this.top = top;
      this.element.style.transform = `translateY(${top}px)`;
      mark(this.element, 'aria-rowindex', String(index + 2));
    }
    if (this.revision !== site.revision) {
      this.revision = site.revision;
      this.drawFacts(site);
      this.drawFinish(site, axis.now);
    }
    this.parts['.more'].hidden = !mayAct || (site.state === 'done' && !site.next_round);
    this.drawTimeline(site, axis);
  }

  drawFacts(site) {
    const p = this.parts;
    put(p['.name'], site.site);
    put(p['.round'], site.round > 1 || site.next_round ? `round ${site.round ?? 1}` : '');
    put(p['.chip'], site.state);
    mark(p['.chip'], 'data-state', site.state);
    mark(this.element, 'data-state', site.state);
    mark(this.element, 'data-trouble', site.trouble);
    const part = progress(site);
    p['.c-progress i'].style.width = part == null ? '0' : `${(part * 100).toFixed(1)}%`;
    put(p['.part'], part == null ? 'not known' : percent(part));
    put(p['.whole'], part == null ? '' : ` of ${wholeWord(site)}`);
    mark(p['.c-progress'], 'title', progressWords(site));
    const idle = site.state === 'done';
    put(p['.c-share'], idle ? '–' : rate(site.share));
    put(p['.c-rate'], idle ? '–' : rate(site.rate));
    put(p['.c-pages'], count(site.pages));
    put(p['.c-failed'], count(site.failed));
    mark(p['.c-failed'], 'data-some', site.failed > 0 ? 'yes' : null);
    put(p['.limited'], idle ? '' : site.limited_by ?? '');
    put(p['.why'], idle ? '' : site.why ?? '');
    mark(p['.c-limited'], 'title', site.why);
    mark(p['.more'], 'aria-label', `Actions for ${site.site}`);
  }

  drawFinish(site, now) {
    put(this.parts['.finish'], finishWord(site, now));
    put(this.parts['.due'], dueWord(site, now));
  }

  drawTimeline(site, axis) {
    const { finish, finish_low: low, finish_high: high, deadline } = site.at;
    const open = site.state !== 'done';
    stretch(this.parts['.run'], open && finish != null, 0, finish != null && place(axis, finish));
    stretch(this.parts['.band'], open && low != null && high != null, low != null && place(axis, low), high != null && place(axis, high));
    stretch(this.parts['.mark'], open && deadline != null, deadline != null && place(axis, deadline), null);
    const words = timelineWords(site, axis.now);
    mark(this.parts['.gantt'], 'aria-label', words);
    mark(this.parts['.gantt'], 'title', words);
  }
}

export function progressWords(site) {
  const urls = `${count(site.done)} of ${plural(site.known, 'known URL')} settled`;
  return site.predicted_bytes > 0 ? `${urls}, ${size(site.bytes_wire)} of about ${size(site.predicted_bytes)}` : `${urls}, ${size(site.bytes_wire)}`;
}

// What was predicted may turn out too little; then it is what came.
function wholeWord(site) {
  return site.predicted_bytes > 0 ? size(Math.max(site.predicted_bytes, site.bytes_wire)) : count(site.known);
}

function finishWord(site, now) {
  if (site.at.finished != null) return clock(site.at.finished, now);
  if (site.at.finish == null) return site.next_round ? `next ${clock(site.at.next_round, now)}` : '–';
  return clock(site.at.finish, now);
}

function dueWord(site, now) {
  if (site.late_by_s > 0) return `late by ${duration(site.late_by_s)}`;
  if (site.at.deadline == null) return site.next_round ? `next ${clock(site.at.next_round, now)}` : '';
  if (site.state === 'done') return 'in time';
  return `${site.danger ? 'in danger' : 'due'} ${clock(site.at.deadline, now)}`;
}

export function timelineWords(site, now) {
  const { finish, finish_low: low, finish_high: high, deadline, finished } = site.at;
  const words = [];
  if (finished != null) words.push(`finished ${clock(finished, now)}`);
  else if (finish != null) words.push(`expected ${clock(finish, now)}` + (low != null && high != null ? `, between ${clock(low, now)} and ${clock(high, now)}` : ''));
  else words.push('finish not known');
  if (deadline != null) words.push(`deadline ${clock(deadline, now)}`);
  if (site.late_by_s > 0) words.push(`late by ${duration(site.late_by_s)}`);
  return words.join('; ');
}

// Tenths of a percent are below a pixel: bars that have not moved that far are left alone.
function stretch(bar, shown, from, to) {
  const key = shown ? `${from.toFixed(1)} ${to == null ? '' : to.toFixed(1)}` : '';
  if (bar.key === key) return;
  bar.key = key;
  bar.style.display = shown ? 'block' : 'none';
  if (!shown) return;
  bar.style.left = `${from}%`;
  if (to != null) bar.style.width = `${Math.max(0, to - from)}%`;
}
