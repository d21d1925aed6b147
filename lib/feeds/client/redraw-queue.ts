/** Interval in which every chart is redrawn once, each in a separate task. */
const REDRAW_INTERVAL_MS = 1_000;
/** Time between the redraws of two charts. Many charts make the interval longer. */
const MIN_REDRAW_GAP_MS = 100;

const redrawQueue: (() => void)[] = [];
let nextRedraw = 0;
let redrawTimer: number | undefined;

function scheduleNext(): void {
  const waitMs = Math.max(MIN_REDRAW_GAP_MS, REDRAW_INTERVAL_MS / redrawQueue.length);
  redrawTimer = window.setTimeout(() => {
    scheduleNext();
    if (document.hidden) return;
    nextRedraw = (nextRedraw + 1) % redrawQueue.length;
    redrawQueue[nextRedraw]?.();
  }, waitMs);
}

/** Spreads redraws over time. Returns a function that removes the chart. */
export function joinRedrawQueue(draw: () => void): () => void {
  redrawQueue.push(draw);
  if (redrawQueue.length === 1) scheduleNext();
  return () => {
    const index = redrawQueue.indexOf(draw);
    if (index >= 0) redrawQueue.splice(index, 1);
    if (redrawQueue.length === 0) window.clearTimeout(redrawTimer);
  };
}
