// What can be opened from a row: the menu of its actions, and all that is known of the site.
import { SITE_ACTIONS } from './actions.js';
import { openFacts } from './dialog.js';
import { byId } from './dom.js';
import { clock, count, duration, rate } from './format.js';
import { progressWords, timelineWords } from './row.js';

/** There is one menu; it moves into the row whose button was pressed. */
export function startMenu(current) {
  const menu = byId('menu');
  let site = null;

  byId('list-body').addEventListener('click', (event) => {
    const row = event.target.closest('.row')?.row;
    if (!row) return;
    const button = event.target.closest('.more');
    if (button) {
      site = row.site;
      openMenu(menu, button, site);
    } else if (event.target.closest('.name')) openFacts(row.site.site, facts(row.site, current().at.now));
  });
  menu.addEventListener('click', (event) => {
    const action = event.target.closest('[data-do]')?.dataset.do;
    if (!action) return;
    const button = menu.parentElement.querySelector('.more');
    menu.hidePopover();
    button?.focus({ preventScroll: true });
    SITE_ACTIONS[action](current(), site);
  });
  menu.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...menu.children];
    all.at((all.indexOf(document.activeElement) + step) % all.length).focus();
  });
  byId('list').addEventListener('scroll', () => menu.matches(':popover-open') && menu.hidePopover(), { passive: true });
}

function openMenu(menu, button, site) {
  menu.querySelector('[data-do=pause]').textContent = site.state === 'paused' ? 'Resume' : 'Pause';
  button.parentElement.append(menu);
  menu.showPopover();
  const at = button.getBoundingClientRect();
  const below = at.bottom + menu.offsetHeight < innerHeight;
  menu.style.left = `${Math.max(8, at.right - menu.offsetWidth)}px`;
  menu.style.top = `${below ? at.bottom : at.top - menu.offsetHeight}px`;
  menu.firstElementChild.focus({ preventScroll: true });
}

function facts(site, now) {
  const rows = [
    ['State', site.state],
    ['Limited by', [site.limited_by, site.why].filter(Boolean).join(': ') || '–'],
    ['Finish', timelineWords(site, now)],
    ['Deadline', site.at.deadline == null ? 'none' : deadlineWords(site, now)],
    ['Progress', progressWords(site)],
    ['Pages', `${count(site.pages)}, ${count(site.failed)} failed`],
    ['Rate', `${rate(site.rate)}, share ${rate(site.share)}${site.max_rate == null ? '' : `, at most ${rate(site.max_rate)}`}`],
    ['Weight', String(site.weight ?? 1)],
  ];
  if (site.round != null) rows.push(['Round', count(site.round)]);
  if (site.at.next_round != null) rows.push(['Next round', `${clock(site.at.next_round, now)}, in ${duration((site.at.next_round - now) / 1000)}`]);
  return rows;
}

function deadlineWords(site, now) {
  const time = clock(site.at.deadline, now);
  if (site.trouble === 'late') return `${time}, late by ${duration(site.late_by_s)}`;
  return site.trouble ? `${time}, in danger` : time;
}
