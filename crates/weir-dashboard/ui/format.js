// Numbers, times and amounts in words, as weir writes them everywhere: decimal units, `1.57 MB/s`, `2h 05m`, `14:03:22`.

export function count(n) {
  return n == null ? '–' : THOUSANDS.format(Math.round(n));
}

export function size(bytes) {
  return bytes == null ? '–' : scaled(bytes, unitOf(bytes), 1) + ' ' + unitOf(bytes).name;
}

export function rate(bytesPerSecond) {
  if (bytesPerSecond == null) return '–';
  const unit = unitOf(bytesPerSecond);
  return `${scaled(bytesPerSecond, unit, 2)} ${unit.name}/s`;
}

/** The number of a rate in the unit of another, so that `1.57` can stand before `of 2.00 MB/s`. */
export function rateInUnitOf(bytesPerSecond, other) {
  return scaled(bytesPerSecond, unitOf(other), 2);
}

/** A rate as it is typed: 2000000 is `2MB/s`. */
export function typedRate(bytesPerSecond) {
  const unit = unitOf(bytesPerSecond);
  return `${+(bytesPerSecond / unit.of).toFixed(3)}${unit.name}/s`;
}

export function percent(part) {
  return `${Math.floor(part * 100)} %`;
}

export function duration(seconds) {
  if (seconds == null) return '–';
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m ${two(s % 60)}s`;
  if (s < 86400) return `${Math.floor(s / 3600)}h ${two(Math.floor(s / 60) % 60)}m`;
  return `${Math.floor(s / 86400)}d ${two(Math.floor(s / 3600) % 24)}h`;
}

/** A length on the time axis, without what is zero: `30s`, `5m`, `2h`. */
export function tick(seconds) {
  if (seconds % 86400 === 0) return `${seconds / 86400}d`;
  if (seconds % 3600 === 0) return `${seconds / 3600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : seconds > 60 ? duration(seconds) : `${seconds}s`;
}

/** Local time of day; with the date when that is another day than `now`. Takes milliseconds. */
export function clock(ms, now = Date.now()) {
  if (ms == null) return '–';
  const at = new Date(ms);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  if (Math.abs(ms - now) < 43200e3 && at.getDate() === new Date(now).getDate()) return time;
  return `${MONTHS[at.getMonth()]} ${at.getDate()} ${time.slice(0, 5)}`;
}

export function plural(n, one, many = one + 's') {
  return `${count(n)} ${n === 1 ? one : many}`;
}

const THOUSANDS = new Intl.NumberFormat('en'); // made once: toLocaleString makes one for each number
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const UNITS = [
  { name: 'GB', of: 1e9, places: 2 },
  { name: 'MB', of: 1e6, places: null },
  { name: 'KB', of: 1e3, places: 1 },
  { name: 'B', of: 1, places: 0 },
];

function unitOf(bytes) {
  return UNITS.find((unit) => bytes >= unit.of) ?? UNITS[3];
}

// Megabytes of a size have one place and of a rate two, as on weir's own progress line.
function scaled(bytes, unit, megaPlaces) {
  return (bytes / unit.of).toFixed(unit.places ?? megaPlaces);
}

function two(n) {
  return String(n).padStart(2, '0');
}
