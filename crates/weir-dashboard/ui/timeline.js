// The time axis that all rows share: from now to the last deadline or finish of the sites shown.

const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800];
const TICKS = 4;

/** Returns `{now, span_ms, step_s, ticks}`: the span is a whole number of steps. */
export function axis(sites, now) {
  let end = now + 10_000;
  for (const { state, at } of sites) {
    if (state === 'done') continue;
    end = Math.max(end, at.deadline ?? 0, at.finish ?? 0, at.finish_high ?? 0);
  }
  const span_s = (end - now) / 1000;
  const step_s = STEPS_S.find((step) => span_s <= step * TICKS) ?? Math.ceil(span_s / TICKS / 604800) * 604800;
  const ticks = Math.ceil(span_s / step_s);
  return { now, step_s, ticks, span_ms: ticks * step_s * 1000 };
}

/** Where a moment is on the axis, in percent; what lies outside is at its edge. */
export function place(axis, ms) {
  return Math.min(100, Math.max(0, ((ms - axis.now) / axis.span_ms) * 100));
}
