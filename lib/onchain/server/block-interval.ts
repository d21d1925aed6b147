import 'server-only';
import { percentile } from '@/lib/core/percentile';
import type { LimitedCaller } from './limited-caller';
import { blockPart, listPart } from './parts';

type Head = { number: bigint; timeMs: number };

/** Numbers of blocks. Some networks make blocks only for transactions: of a busy minute the interval is no usual one. */
const MEAN_SPANS = [2000n, 100_000n];
/** The last 20 blocks. Their mean would make a single stop of the chain its usual interval, and hide the next one. */
const MEDIAN_SPANS = [5n, 10n, 15n, 20n];

/**
 * The longest of the median interval of the last blocks and the means of longer spans. Of a chain too young for those,
 * the mean of the last blocks. Undefined without an answer, or if no further call is allowed.
 */
export async function blockIntervalMs(
  caller: LimitedCaller,
  endpoint: Parameters<LimitedCaller['call']>[0],
  head: Head,
): Promise<number | undefined> {
  const blocksOf = (spans: readonly bigint[]) =>
    listPart(spans.filter((span) => span < head.number).map((span) => blockPart(head.number - span)));
  const [recent, earlier] = [blocksOf(MEDIAN_SPANS), blocksOf(MEAN_SPANS)];
  if (recent.requests.length === 0 || !caller.mayCall()) return undefined;
  const answer = await caller.call(endpoint, { recent, earlier });
  if (!answer.ok) return undefined;
  const blocks = answer.value.recent.filter((block) => block !== undefined);
  const means = answer.value.earlier.flatMap((block) => intervalBetween(block, head));
  if (means.length === 0) means.push(...intervalBetween(blocks.at(-1), head));
  const last = blocks.flatMap((block, index) => intervalBetween(block, blocks[index - 1] ?? head));
  const median = percentile(
    last.toSorted((a, b) => a - b),
    50,
  );
  const intervals = median === undefined ? means : [...means, median];
  return intervals.length === 0 ? undefined : Math.max(...intervals);
}

function intervalBetween(older: Head | undefined, newer: Head): number[] {
  if (older === undefined || older.number >= newer.number) return [];
  return [(newer.timeMs - older.timeMs) / Number(newer.number - older.number)];
}
