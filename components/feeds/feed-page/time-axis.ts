import { clockStyle, clockText, shownMoment, type TimeStyle } from '@/lib/client/moment-text';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Distances that people count in. */
const STEPS_MS = [
  ...[1, 2, 5, 10, 20, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2].map((days) => days * DAY),
];

/** A label with air around it. */
const PIXELS_PER_TICK = 90;

export type TimeAxis = { readonly ticks: readonly number[]; readonly tickMs: number };

/** Ticks on round times between two moments, none so near to an edge that its text would be cut. */
export function timeAxisOf(fromMs: number, toMs: number, widthPx: number): TimeAxis {
  const spanMs = toMs - fromMs;
  const most = Math.max(2, Math.floor(widthPx / PIXELS_PER_TICK));
  const tickMs = STEPS_MS.find((step) => spanMs / step <= most) ?? 2 * DAY;
  const edgeMs = (spanMs / Math.max(1, widthPx)) * (PIXELS_PER_TICK / 4);
  const ticks: number[] = [];
  for (let at = Math.ceil((fromMs + edgeMs) / tickMs) * tickMs; at <= toMs - edgeMs; at += tickMs) {
    ticks.push(at);
  }
  return { ticks, tickMs };
}

/** Time of day, as fine as the ticks need it; the date where a day begins, or where days are counted. */
export function timeLabel(atMs: number, tickMs: number, style: TimeStyle): string {
  const clock = clockText(atMs, style);
  if (tickMs < MINUTE) return clock.slice(0, 8);
  const day = shownMoment(atMs, clockStyle(style), atMs).slice(5, 10);
  if (tickMs >= DAY || clock.startsWith('00:00')) return day;
  return clock.slice(0, 5);
}
