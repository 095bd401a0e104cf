// Which sites are shown, and in which order.
import { progress } from './state.js';

const ATTENTION = { running: 2, waiting: 3, paused: 4, done: 5 };

/** The columns of the list. `key` is what it is sorted by; `falling` columns have their largest first at the first click. */
export const COLUMNS = [
  { id: 'site', name: 'Site', key: (s) => s.site },
  { id: 'state', name: 'State', key: attention },
  { id: 'progress', name: 'Progress', key: (s) => progress(s) ?? -1 },
  { id: 'share', name: 'Share', key: (s) => s.share ?? -1, falling: true, num: true },
  { id: 'rate', name: 'Rate', key: (s) => s.rate ?? -1, falling: true, num: true },
  { id: 'pages', name: 'Pages', key: (s) => s.pages, falling: true, num: true },
  { id: 'failed', name: 'Failed', key: (s) => s.failed, falling: true, num: true },
  { id: 'limited', name: 'Limited by', key: (s) => s.limited_by ?? '' },
  { id: 'finish', name: 'Finish', key: (s) => s.at.finished ?? s.at.finish ?? Infinity },
];

/** Late sites come first, then those in danger, and done ones last. */
function attention(site) {
  return site.trouble === 'late' ? 0 : site.trouble === 'danger' ? 1 : ATTENTION[site.state] ?? 3;
}

/** The sites that match, sorted; equal ones in the order in which weir has them. */
export function ordered(sites, { text, state, column, falling }) {
  const wanted = text.trim().toLowerCase();
  const { key } = COLUMNS.find((c) => c.id === column);
  const kept = [];
  for (const site of sites) {
    if (wanted && !site.site.toLowerCase().includes(wanted)) continue;
    if (state === 'danger' ? !site.trouble : state !== 'all' && site.state !== state) continue;
    kept.push({ site, key: key(site) });
  }
  const sign = falling ? -1 : 1;
  kept.sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : a.site.id - b.site.id));
  return kept.map((entry) => entry.site);
}
