import 'server-only';
import type { LimitedCaller } from './limited-caller';
import { blockPart, listPart } from './parts';

/** Numbers of blocks. Some networks make blocks only for transactions: of a busy minute the interval is no usual one. */
const SPANS = [20n, 2000n, 100_000n];

/** The longest mean interval of all spans. Undefined without an answer, or if no further call is allowed. */
export async function blockIntervalMs(
  caller: LimitedCaller,
  endpoint: Parameters<LimitedCaller['call']>[0],
  head: { number: bigint; timeMs: number },
): Promise<number | undefined> {
  const spans = SPANS.filter((span) => span < head.number);
  if (spans.length === 0 || !caller.mayCall()) return undefined;
  const earlier = listPart(spans.map((span) => blockPart(head.number - span)));
  const answer = await caller.call(endpoint, { earlier });
  const blocks = answer.ok ? answer.value.earlier : [];
  const intervals = blocks.flatMap((block) =>
    block && block.number < head.number
      ? (head.timeMs - block.timeMs) / Number(head.number - block.number)
      : [],
  );
  return intervals.length === 0 ? undefined : Math.max(...intervals);
}
