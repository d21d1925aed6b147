import 'server-only';
import { groupedBy } from '@/lib/core/grouped';
import type { TriageNow } from '@/lib/pending/server/triage';
import { type FigureList, type Labels, metrics, registerHistogram } from '@/lib/platform/metrics';
import { processWide } from '@/lib/platform/process-wide';
import { type FinishedTotal, finishedSince } from '@/lib/store/queries/insights';
import type { IndexStore } from '@/lib/store/store';

/** Edges in seconds, from a fast chain to a backlog of a day: no percentile can exceed the last edge. */
const EDGES_S = [1, 2.5, 5, 10, 15, 20, 30, 45, 60, 120, 300, 600, 1800, 7200, 28_800, 86_400];
const STATES = ['completed', 'callback-failed', 'failed'];
/** Networks with series, over all keepers. Later ones are counted together. */
const MAX_NETWORKS = 200;
const OTHER = 'other';
const HELP = 'Time from request to callback, of callbacks since this process started.';

/** Rows, callbacks, their total seconds, and cumulative counts by edge. */
type Counts = readonly number[];
const NOTHING: Counts = [0, 0, 0, ...EDGES_S.map(() => 0)];
type Series = { labels: Labels; counts: Counts };

/** Figures since the start of this process, for one opened index. */
type Finished = {
  index: IndexStore;
  epoch: number;
  sinceUs: number;
  places: Set<string>;
  series: Map<string, Series>;
};

const processCounters = processWide<Finished>('metrics-finished');

const countsOf = ({ rows, called, seconds, within }: FinishedTotal) => [rows, called, seconds, ...within];

/** Counters never fall: a request that was once counted as failed stays counted. */
export async function finishedFigures(
  index: IndexStore,
  now: TriageNow,
  placeOf: (keeper: string, networkId: string) => Labels,
): Promise<FigureList<'network_finished_requests_total'>> {
  const { epoch } = index;
  const previous = processCounters.get();
  const sinceUs = Math.floor((index.now() - process.uptime() * 1000) * 1000);
  const fresh: Finished = { index, epoch, sinceUs, places: new Set(), series: new Map() };
  const finished = previous?.index === index && previous.epoch === epoch ? previous : fresh;
  processCounters.set(finished);
  const { places, series } = finished;
  const seriesOf = (keeper: string, networkId: string, state: string): Series => {
    const place = `${keeper}/${networkId}`;
    if (places.size < MAX_NETWORKS) places.add(place);
    const isOther = !places.has(place);
    const key = `${isOther ? `${keeper}/${OTHER}` : place}/${state}`;
    const labels = isOther ? { keeper, network_id: OTHER, network: OTHER } : placeOf(keeper, networkId);
    const entry = series.get(key) ?? { labels: { ...labels, state }, counts: NOTHING };
    series.set(key, entry);
    return entry;
  };
  // If a counter first appeared with the value 1, its first increase would be hidden.
  for (const { keeper, counts } of now.keepers)
    for (const { networkId } of counts) for (const state of STATES) seriesOf(keeper, networkId, state);
  const finishedTotals = await index.engine.snapshot((all) =>
    finishedSince(all, index.keeperIds(), finished.sinceUs, EDGES_S),
  );
  const totals = groupedBy(finishedTotals, (total) =>
    seriesOf(index.keeperName(total.keeperId), total.networkId, total.state),
  );
  for (const [of, ofSeries] of totals) {
    const sum = ofSeries.map(countsOf).reduce((a, b) => a.map((count, index) => count + (b[index] ?? 0)));
    of.counts = of.counts.map((count, index) => Math.max(count, sum[index] ?? 0));
  }
  const all = [...series.values()];
  const called = all.filter(({ labels }) => labels.state !== 'failed');
  registerHistogram(
    metrics().registry,
    'network_callback_seconds',
    HELP,
    EDGES_S,
    called.map(({ labels, counts: [, count = 0, sum = 0, ...within] }) => ({ labels, count, sum, within })),
  );
  return all.map(({ labels, counts: [rows] }) => [labels, { network_finished_requests_total: rows }]);
}
