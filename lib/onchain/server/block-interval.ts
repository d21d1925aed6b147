import 'server-only';
import type { LimitedCaller } from './limited-caller';
import { blockPart } from './parts';

const INTERVAL_BLOCKS = 20n;

/** Undefined without an answer, or if no further call is allowed. */
export async function blockIntervalMs(
  caller: LimitedCaller,
  endpoint: Parameters<LimitedCaller['call']>[0],
  head: { number: bigint; timeMs: number },
): Promise<number | undefined> {
  if (head.number <= INTERVAL_BLOCKS || !caller.mayCall()) return undefined;
  const answer = await caller.call(endpoint, { earlier: blockPart(head.number - INTERVAL_BLOCKS) });
  const earlier = answer.ok ? answer.value.earlier : undefined;
  return earlier && (head.timeMs - earlier.timeMs) / Number(INTERVAL_BLOCKS);
}
