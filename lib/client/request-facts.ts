import { type Outcome, ok } from '@/lib/domain/outcome';
import { type LogRow, type RequestRecord, readLogPage, requestDuration } from '@/lib/domain/request-record';
import { formatDuration } from './human-time';
import type { AskLogs } from './related-requests';

/** How long the last completed requests of a network took. Milliseconds; `n` of them. */
export type UsualDuration = { medianMs: number; p95Ms: number; n: number };

/** `few`: not enough requests to say what is usual. */
export type Usual = { kind: 'known'; usual: UsualDuration } | { kind: 'few'; n: number };

/** As many as are asked for, and the fewest that say something. */
const SAMPLE = 500;
const FEWEST = 20;

/** The middle one, or the mean of the two in the middle; of sorted figures, at least one. */
function median(sorted: readonly number[]): number {
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return (lower + upper) / 2;
}

/** By the nearest rank: the least figure that `share` of all do not exceed. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** The durations of the completed requests among these rows that belong to the network and have both times. */
export function usualOf(rows: readonly LogRow[], networkId: string): Usual {
  const durations = rows
    .flatMap((row) => {
      if (row.kind !== 'record' || row.networkId !== networkId || row.state.kind !== 'completed') return [];
      const length = requestDuration(row, row.createdAt.ms);
      return length?.kind === 'duration' ? length.ms : [];
    })
    .sort((a, b) => a - b);
  const n = durations.length;
  if (n < FEWEST) return { kind: 'few', n };
  return { kind: 'known', usual: { medianMs: median(durations), p95Ms: percentile(durations, 0.95), n } };
}

/** What is usual on a network by its last completed requests, at most 500 of them. */
export async function usualDuration(
  networkId: string,
  keeper: string,
  ask: AskLogs,
  signal: AbortSignal,
): Promise<Outcome<Usual>> {
  const query = new URLSearchParams({
    network_id: networkId,
    state: 'Completed',
    limit: String(SAMPLE),
    keeper,
  });
  const text = await ask(query, signal);
  const page = text.ok ? readLogPage(text.value) : text;
  return page.ok ? ok(usualOf(page.value.rows, networkId)) : page;
}

/** `Median 2.1 s, 95 % within 9.4 s, of the last 500 completed requests on Base`. */
export function usualWords({ medianMs, p95Ms, n }: UsualDuration, network: string): string {
  const [middle, most] = [formatDuration(medianMs), formatDuration(p95Ms)];
  return `Median ${middle}, 95 % within ${most}, of the last ${n} completed requests on ${network}`;
}

/** Where a length of time lies among the usual ones. */
export function placeAmongUsual(
  ms: number,
  { medianMs, p95Ms }: UsualDuration,
): 'usual' | 'slow' | 'very-slow' {
  if (ms <= medianMs) return 'usual';
  return ms <= p95Ms ? 'slow' : 'very-slow';
}

/** A sentence about where it lies; an age is that of a request that has not finished. */
export function placeWords(place: ReturnType<typeof placeAmongUsual>, kind: 'duration' | 'age'): string {
  switch (place) {
    case 'usual':
      return kind === 'age' ? 'Not yet as long as half of them took.' : 'As fast as half of them, or faster.';
    case 'slow':
      return kind === 'age'
        ? 'Longer than half of them took, within what is usual.'
        : 'Slower than half of them, within what is usual.';
    case 'very-slow':
      return kind === 'age' ? 'Longer than 95 % of them took.' : 'Slower than 95 % of them.';
  }
}

/** A sentence about where the request stands. */
export function stateSentence({ state }: Pick<RequestRecord, 'state'>): string {
  switch (state.kind) {
    case 'pending':
      return 'No outcome is recorded here; confirm on chain.';
    case 'failed':
      return 'The keeper could not reveal this request.';
    case 'unknown':
      return 'A state that this version does not know, shown by the name that the service gives it.';
    case 'completed':
      if (state.callback === 'failed') return 'Revealed, but the callback of the contract failed.';
      return state.callback === 'ok'
        ? 'Revealed, and the callback of the contract ran.'
        : 'Revealed; the service does not say how the callback went.';
  }
}
