// Draws a chart over time on a canvas: areas on top of each other and a line for the cap. Knows nothing of where the values come from.
import { rate, tick } from './format.js';

const LEFT = 68, RIGHT = 8, TOP = 8, BOTTOM = 20;
const FAR = 6;
const LEAST = 1000; // bytes a second, the top of an empty chart

/**
 * `areas`: lists of values, the first at the bottom, each `{values, colour, line}`; `cap`: a list in which null is no cap.
 * `picked` is the place of the moment that is looked at, or null.
 */
export function drawChart(canvas, { areas, cap, step_s, picked }) {
  const { context, width, height } = prepared(canvas);
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const length = cap.length;
  const sums = stacked(areas, length);
  const top = niceTop(highest(sums.at(-1) ?? [], cap));
  const x = (i) => LEFT + (i / Math.max(1, length - 1)) * (width - LEFT - RIGHT);
  const y = (value) => height - BOTTOM - (value / top) * (height - TOP - BOTTOM);

  context.font = `11px ${getComputedStyle(canvas).fontFamily}`;
  drawGrid(context, { width, height, top, y, colour, seconds: length * step_s });
  for (let k = areas.length - 1; k >= 0; k--) drawArea(context, sums[k], sums[k - 1], areas[k], { x, y });
  drawCap(context, cap, { x, y, colour });
  if (picked != null && length) drawPicked(context, x(picked), height, colour);
}

/** Which value is under a place on the canvas, counted from its left edge. */
export function pickedAt(canvas, left, length) {
  const part = (left - LEFT) / (canvas.clientWidth - LEFT - RIGHT);
  return Math.round(Math.min(1, Math.max(0, part)) * (length - 1));
}

// As many pixels as the screen has, and no more than needed: setting the size clears the canvas, too.
function prepared(canvas) {
  const scale = devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return { context, width, height };
}

function stacked(areas, length) {
  let below = new Array(length).fill(0);
  return areas.map(({ values }) => (below = below.map((sum, i) => sum + (values[i] ?? 0))));
}

// A cap far above all that came would press the areas flat: it is left out, and only told in words.
function highest(values, cap) {
  const peak = Math.max(LEAST, ...values);
  const highestCap = Math.max(0, ...cap);
  return peak > LEAST && highestCap > peak * FAR ? peak : Math.max(peak, highestCap);
}

function niceTop(value) {
  const wanted = value * 1.05;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10].find((n) => wanted <= n * power) * power;
}

function drawGrid(context, { width, height, top, y, colour, seconds }) {
  context.lineWidth = 1;
  context.strokeStyle = colour('--line');
  context.fillStyle = colour('--muted');
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  const lines = height > 220 ? 4 : 2;
  for (let i = 0; i <= lines; i++) {
    const value = (top / lines) * i;
    const at = Math.round(y(value)) + 0.5;
    context.beginPath();
    context.moveTo(LEFT, at);
    context.lineTo(width - RIGHT, at);
    context.stroke();
    context.fillText(i ? rate(value) : '0', LEFT - 8, at);
  }
  context.textBaseline = 'alphabetic';
  // In the first seconds there are fewer of them than marks.
  const parts = Math.max(1, Math.min(width < 420 ? 2 : 4, seconds));
  for (let i = 0; i <= parts; i++) {
    context.textAlign = i === 0 ? 'left' : i === parts ? 'right' : 'center';
    const ago = Math.round(seconds * (1 - i / parts));
    context.fillText(ago ? `-${tick(ago)}` : 'now', LEFT + (i / parts) * (width - LEFT - RIGHT), height - 5);
  }
}

function drawArea(context, upper, lower, { colour, line }, { x, y }) {
  if (!upper.length) return;
  context.beginPath();
  upper.forEach((value, i) => context.lineTo(x(i), y(value)));
  if (line) {
    context.strokeStyle = colour;
    context.lineWidth = 1.6;
    context.lineJoin = 'round';
    context.stroke();
  }
  for (let i = upper.length - 1; i >= 0; i--) context.lineTo(x(i), y(lower?.[i] ?? 0));
  context.closePath();
  context.fillStyle = colour;
  context.globalAlpha = line ? 0.2 : 0.88;
  context.fill();
  context.globalAlpha = 1;
}

function drawCap(context, cap, { x, y, colour }) {
  context.beginPath();
  cap.forEach((value, i) => {
    if (value == null) return;
    if (cap[i - 1] == null) return context.moveTo(x(i), y(value));
    // A cap changes from one moment to the next, not little by little.
    context.lineTo(x(i), y(cap[i - 1]));
    context.lineTo(x(i), y(value));
  });
  context.strokeStyle = colour('--text');
  context.lineWidth = 1.4;
  context.setLineDash([5, 4]);
  context.stroke();
  context.setLineDash([]);
}

function drawPicked(context, at, height, colour) {
  context.beginPath();
  context.moveTo(Math.round(at) + 0.5, TOP);
  context.lineTo(Math.round(at) + 0.5, height - BOTTOM);
  context.strokeStyle = colour('--text');
  context.lineWidth = 1;
  context.stroke();
}
