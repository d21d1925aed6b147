import 'server-only';
import { decodeReveals, revealTopics } from '@/lib/onchain/contract';
import type { AskedOnchain, RevealSearch } from '@/lib/onchain/facts';
import { type Block, readReceipt } from '@/lib/onchain/read';
import type { RpcEndpoint } from '@/lib/upstream/rpc';
import type { Asker } from './asker';
import { blockPart, type EventsFound, eventsPart, one } from './parts';

/** Ranges of blocks that nodes refuse from somewhere on, in halves and less: the largest that is taken counts. */
const RANGES = [9999n, 4999n, 1999n, 999n, 499n, 99n, 9n];
/** Ranges of one HTTP call, one behind the other. */
const RANGES_AT_ONCE = 8;

type Range = { from: bigint; to: bigint };

type Options = {
  asker: Asker;
  endpoint: RpcEndpoint;
  asked: AskedOnchain;
  head: Block;
  fromBlock: bigint;
  isOlder: boolean;
  /** Events of the present contract that the first call found from the request’s block to the newest, where it asked. */
  early: EventsFound | undefined;
};

/** Looks for the answer to a request from its block on, as far as the calls reach; one is kept for its receipt. */
export async function searchReveal(options: Options): Promise<RevealSearch> {
  const { asker, endpoint, asked, head, fromBlock, isOlder, early } = options;
  const id = { provider: asked.provider, sequence: asked.sequence };
  const topics = revealTopics(id)[isOlder ? 'older' : 'present'];
  const search: RevealSearch = { fromBlock, isComplete: false };
  const take = (events: NonNullable<EventsFound['events']>, toBlock: bigint) => {
    const found = decodeReveals(events, id).at(-1);
    if (found !== undefined) search.found = found;
    search.toBlock = toBlock;
    search.isComplete = toBlock >= head.number;
  };
  if (early?.events !== undefined && !isOlder) take(early.events, head.number);
  else if (early?.said !== undefined) search.said = early.said;
  let size: bigint | undefined;
  while (search.found === undefined && !search.isComplete && asker.mayAsk(1)) {
    const next = search.toBlock === undefined ? fromBlock : search.toBlock + 1n;
    const ranges =
      size === undefined ? rangesToTry(next, head.number) : rangesOnwards(next, head.number, size);
    const parts = ranges.map(({ from, to }) => eventsPart(asked.contract, topics, from, to));
    const answer = await asker.ask(endpoint, Object.fromEntries(parts.entries()));
    const found = answer.ok ? ranges.map((range, at) => ({ ...range, ...answer.value[at] })) : [];
    const refused = found.find(({ events }) => events === undefined);
    const said = answer.ok ? refused?.said : answer.failure.detail;
    if (said !== undefined) search.said = said;
    const taken = size === undefined ? found.filter(isAnswered).slice(0, 1) : untilRefused(found);
    for (const { events, to } of taken) if (search.found === undefined) take(events, to);
    const [first] = taken;
    if (first === undefined) break;
    size ??= first.to - first.from;
  }
  if (search.found !== undefined && asker.mayAsk()) {
    const { tx, block } = search.found;
    const receipt = one('eth_getTransactionReceipt', [tx], readReceipt);
    const answer = await asker.ask(endpoint, { receipt, mined: blockPart(block) });
    if (answer.ok) search.found = { ...search.found, ...detailsOf(answer.value) };
  }
  return search;
}

type Answered = Range & { events: NonNullable<EventsFound['events']> };

function isAnswered(found: Range & Partial<EventsFound>): found is Answered {
  return found.events !== undefined;
}

/** Behind a range that is refused there would be a gap. */
function untilRefused(found: readonly (Range & Partial<EventsFound>)[]): Answered[] {
  const end = found.findIndex((range) => !isAnswered(range));
  return (end < 0 ? found : found.slice(0, end)).filter(isAnswered);
}

const lesser = (one: bigint, other: bigint) => (one < other ? one : other);

function rangesToTry(from: bigint, head: bigint): Range[] {
  return RANGES.map((size) => ({ from, to: lesser(from + size, head) }));
}

function rangesOnwards(from: bigint, head: bigint, size: bigint): Range[] {
  const starts = Array.from({ length: RANGES_AT_ONCE }, (_, at) => from + BigInt(at) * (size + 1n));
  return starts
    .filter((start) => start <= head)
    .map((start) => ({ from: start, to: lesser(start + size, head) }));
}

function detailsOf({
  receipt,
  mined,
}: {
  receipt: ReturnType<typeof readReceipt>;
  mined: Block | undefined;
}) {
  const { from, gasUsed } = receipt ?? {};
  return {
    ...(from === undefined ? {} : { from }),
    ...(gasUsed === undefined ? {} : { gasUsed }),
    ...(mined === undefined ? {} : { timeMs: mined.timeMs }),
  };
}
