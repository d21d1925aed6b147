import { countOf, groupDigits } from '@/lib/core/numbers';
import { type HealthSpan, HISTORY_MS } from '@/lib/core/service-report';
import { MINUTE_MS } from '@/lib/core/time';

const BAR_MS = 30 * MINUTE_MS;
export const STRIP_BARS = HISTORY_MS / BAR_MS;
/** A single failure among many calls stays visible. */
const MIN_FAILED_SHARE = 0.28;

/** `failedShare`: part of the bar, not of its calls, because few failures stay visible. */
type DayBar = {
  fromMs: number;
  /** `unknown`: before the server started; `none`: no call; `failed`: some or all calls failed. */
  state: 'unknown' | 'none' | 'ok' | 'failed';
  failedShare: number;
};

/** The last 24 h, oldest first. The bar of now ends in the future. */
export function dayBars(
  history: readonly HealthSpan[],
  { atMs, startedAtMs }: { atMs: number; startedAtMs: number },
): DayBar[] {
  const endMs = (Math.floor(atMs / BAR_MS) + 1) * BAR_MS;
  return Array.from({ length: STRIP_BARS }, (_, at) => {
    const fromMs = endMs - (STRIP_BARS - at) * BAR_MS;
    const [calls, failed] = totals(
      history.filter((span) => span.fromMs >= fromMs && span.fromMs < fromMs + BAR_MS),
    );
    const isUnknown = fromMs + BAR_MS <= startedAtMs;
    const state = failed > 0 ? 'failed' : calls > 0 ? 'ok' : isUnknown ? 'unknown' : 'none';
    return { fromMs, state, failedShare: failed === 0 ? 0 : Math.max(MIN_FAILED_SHARE, failed / calls) };
  });
}

function totals(spans: readonly HealthSpan[]): [calls: number, failed: number] {
  return [
    spans.reduce((sum, { calls }) => sum + calls, 0),
    spans.reduce((sum, { failed }) => sum + failed, 0),
  ];
}

/** `99.2% of 412 calls`: rounded down, so that only a day without failures has 100%. */
export function answeredText(history: readonly HealthSpan[]): string {
  const [calls, failed] = totals(history);
  if (calls === 0) return 'No call';
  const percent = Math.floor((1000 * (calls - failed)) / calls) / 10;
  return `${percent}% of ${groupDigits(calls)}`;
}

/** `Last 24 h: 412 calls, 3 failed, the first 11:20:43 UTC: timed out`. */
export function stripWords(
  span: string,
  history: readonly HealthSpan[],
  failureWords: (first: NonNullable<HealthSpan['firstFailure']>) => string,
): string {
  const [calls, failed] = totals(history);
  const first = history.find(({ firstFailure }) => firstFailure !== undefined)?.firstFailure;
  const failure = first === undefined ? '' : `, the first ${failureWords(first)}`;
  return `${span}: ${countOf(calls, 'call')}, ${groupDigits(failed)} failed${failure}`;
}
