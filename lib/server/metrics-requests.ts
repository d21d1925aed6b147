import 'server-only';
import type { Registry } from 'prom-client';
import type { TriageNow } from '@/lib/pending/server/triage';
import { type FinishedTotal, finishedSince } from '@/lib/store/queries/insights';
import type { IndexStore } from '@/lib/store/store';
import { addReadHistogram, addSource } from './metrics';
import { processWide } from './process-wide';

/** What became of requests and how long callbacks took, straight from the index: counted from the start of this process on. */

/** In seconds: from a fast chain to the end of the retries, and far beyond. */
const EDGES_S = [1, 2.5, 5, 10, 15, 20, 30, 45, 60, 120, 300, 600, 1800];
const STATES = ['completed', 'callback-failed', 'failed'];
/** Networks of all keepers that are told apart, those that come first; all others are one. */
const MOST_NETWORKS = 200;
const OTHER = 'other';

type Series = Pick<FinishedTotal, 'rows' | 'called' | 'seconds' | 'within'> & {
  labels: Record<string, string>;
};

/** The labels that say which network of which keeper it is. */
type PlaceOf = (keeper: string, networkId: string) => Record<string, string>;

/** Counters only grow: a failed request that completes after all stays counted as failed too. */
class FinishedRequests {
  readonly #epoch: number;
  readonly #sinceUs: number;
  readonly #places = new Set<string>();
  readonly #series = new Map<string, Series>();

  constructor(private readonly index: IndexStore) {
    this.#epoch = index.epoch;
    this.#sinceUs = Math.floor((index.now() - process.uptime() * 1000) * 1000);
  }

  get series(): Series[] {
    return [...this.#series.values()];
  }

  isOf(index: IndexStore): boolean {
    return this.index === index && this.#epoch === index.epoch;
  }

  async read(now: TriageNow, placeOf: PlaceOf): Promise<void> {
    const index = this.index;
    const found = await index.engine.snapshot((all) =>
      finishedSince(all, index.keeperIds(), this.#sinceUs, EDGES_S),
    );
    // What has not happened yet is told as zero: a counter that begins at one hides its first increase.
    for (const { keeper, counts } of now.keepers) {
      for (const { networkId } of counts)
        for (const state of STATES) this.#at(keeper, networkId, state, placeOf);
    }
    const sums = new Map<Series, FinishedTotal>();
    for (const one of found) {
      const series = this.#at(index.keeperName(one.keeperId), one.networkId, one.state, placeOf);
      const sum = sums.get(series);
      sums.set(series, sum === undefined ? one : together(sum, one));
    }
    for (const [series, { rows, called, seconds, within }] of sums) {
      series.rows = Math.max(series.rows, rows);
      series.called = Math.max(series.called, called);
      series.seconds = Math.max(series.seconds, seconds);
      series.within = within.map((count, at) => Math.max(count, series.within[at] ?? 0));
    }
  }

  #at(keeper: string, networkId: string, state: string, placeOf: PlaceOf): Series {
    const place = `${keeper}/${networkId}`;
    if (this.#places.size < MOST_NETWORKS) this.#places.add(place);
    const labels = this.#places.has(place)
      ? placeOf(keeper, networkId)
      : { keeper, network_id: OTHER, network: OTHER };
    const key = `${keeper}/${labels.network_id}/${state}`;
    const none = { rows: 0, called: 0, seconds: 0, within: EDGES_S.map(() => 0) };
    const series = this.#series.get(key) ?? { ...none, labels: { ...labels, state } };
    this.#series.set(key, series);
    return series;
  }
}

function together(one: FinishedTotal, other: FinishedTotal): FinishedTotal {
  return {
    ...one,
    rows: one.rows + other.rows,
    called: one.called + other.called,
    seconds: one.seconds + other.seconds,
    within: one.within.map((count, at) => count + (other.within[at] ?? 0)),
  };
}

const kept = processWide<FinishedRequests>('metrics-finished');

export async function readFinishedRequests(
  index: IndexStore,
  now: TriageNow,
  placeOf: PlaceOf,
): Promise<void> {
  const known = kept.get();
  const finished = known?.isOf(index) ? known : new FinishedRequests(index);
  kept.set(finished);
  await finished.read(now, placeOf);
}

export function addRequestMetrics(registry: Registry): void {
  const series = () => kept.get()?.series ?? [];
  addSource<Series>(registry, {
    labelNames: ['keeper', 'network_id', 'network', 'state'],
    all: () => series().map((one) => [one.labels, one]),
    metrics: {
      network_finished_requests_total: [
        'Requests finished since this process started, by outcome.',
        ({ rows }) => rows,
      ],
    },
  });
  const help = 'Time from request to callback, of callbacks since this process started.';
  addReadHistogram(registry, 'network_callback_seconds', help, EDGES_S, () =>
    series()
      .filter(({ labels }) => labels.state !== 'failed')
      .map(({ labels, called, seconds, within }) => ({ labels, count: called, sum: seconds, within })),
  );
}
