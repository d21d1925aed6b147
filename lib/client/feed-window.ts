import { LONGEST_SPAN_MS, SHORTEST_SPAN_MS } from '@/lib/contract/codec/feed-page-url';

/** What a chart looks at: so much time up to `toMs`, or up to now, moving on, where that is absent. Unix milliseconds. */
export type ChartWindow = { readonly spanMs: number; readonly toMs?: number };

/** The edges of a window at a moment. */
export function windowEdges(window: ChartWindow, nowMs: number): { fromMs: number; toMs: number } {
  const toMs = window.toMs ?? nowMs;
  return { fromMs: toMs - window.spanMs, toMs };
}

/** Nothing is drawn before 1970. */
function withEdge(spanMs: number, toMs: number, nowMs: number): ChartWindow {
  if (toMs >= nowMs) return { spanMs };
  return { spanMs, toMs: Math.max(spanMs, Math.round(toMs)) };
}

/** The window moved through time; at the present it is live again. */
export function panned(window: ChartWindow, byMs: number, nowMs: number): ChartWindow {
  if (byMs === 0) return window;
  return withEdge(window.spanMs, windowEdges(window, nowMs).toMs + byMs, nowMs);
}

/**
 * The window made `factor` times as long, within bounds and in whole seconds, with the moment `anchorMs` staying where it
 * is. A live window stays live: its right edge is the present.
 */
export function zoomed(window: ChartWindow, factor: number, anchorMs: number, nowMs: number): ChartWindow {
  const spanMs = spanWithin(window.spanMs * factor);
  if (window.toMs === undefined) return { spanMs };
  const share = (window.toMs - anchorMs) / window.spanMs;
  return withEdge(spanMs, anchorMs + share * spanMs, nowMs);
}

function spanWithin(spanMs: number): number {
  const whole = Math.round(spanMs / 1000) * 1000;
  return Math.min(LONGEST_SPAN_MS, Math.max(SHORTEST_SPAN_MS, whole));
}

/** A part of the span by which an arrow key moves the window, and a key of plus or minus stretches it. */
const STEP_SHARE = 0.1;
const ZOOM_STEP = 1.5;

/** What a key does with the window; undefined for a key that means nothing here. */
export function windowAfterKey(window: ChartWindow, key: string, nowMs: number): ChartWindow | undefined {
  const { fromMs, toMs } = windowEdges(window, nowMs);
  const middleMs = (fromMs + toMs) / 2;
  switch (key) {
    case 'ArrowLeft':
      return panned(window, -window.spanMs * STEP_SHARE, nowMs);
    case 'ArrowRight':
      return panned(window, window.spanMs * STEP_SHARE, nowMs);
    case 'PageUp':
      return panned(window, -window.spanMs, nowMs);
    case 'PageDown':
      return panned(window, window.spanMs, nowMs);
    case '+':
    case '=':
      return zoomed(window, 1 / ZOOM_STEP, middleMs, nowMs);
    case '-':
      return zoomed(window, ZOOM_STEP, middleMs, nowMs);
    case 'End':
      return { spanMs: window.spanMs };
    default:
      return undefined;
  }
}
