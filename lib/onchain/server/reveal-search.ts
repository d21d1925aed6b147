import 'server-only';
import { decodeReveals, revealTopics } from '@/lib/onchain/contract';
import type { ChainQuery, RevealSearch, SearchedBlocks } from '@/lib/onchain/facts';
import { type Block, readReceipt } from '@/lib/onchain/read';
import type { RpcEndpoint } from '@/lib/upstream/rpc';
import type { LimitedCaller } from './limited-caller';
import { blockPart, callPart, eventsPart, type MatchingEvents } from './parts';

/** Numbers of blocks. Nodes refuse large ranges; the largest accepted is used. */
const RANGES = {
  present: [9999n, 4999n, 1999n, 999n, 499n, 99n, 9n],
  // These events have no indexed members, so a node sends those of all requests.
  older: [999n, 99n, 9n],
};
/** Consecutive ranges in one HTTP call. */
const RANGES_AT_ONCE = 8;

type Range = { from: bigint; to: bigint };

type Options = {
  caller: LimitedCaller;
  endpoint: RpcEndpoint;
  query: ChainQuery;
  head: Block;
  fromBlock: bigint;
  isOlder: boolean;
  /** Events of the present contract up to the newest block that the first call found, if it queried them. */
  early: MatchingEvents | undefined;
};

/**
 * Searches from the request's block on, as far as the calls reach; one is reserved for the receipt. Events of the first
 * generation come last, because a contract may have been upgraded.
 */
export async function searchReveal(options: Options): Promise<RevealSearch> {
  const { caller, endpoint, fromBlock, isOlder, early } = options;
  const search: RevealSearch = { fromBlock, isComplete: false };
  if (early?.nodeMessage !== undefined && !isOlder) search.nodeMessage = early.nodeMessage;
  const earlyEvents = isOlder ? undefined : early?.events;
  search.reveal = await searchEvents(options, isOlder ? 'older' : 'present', search, earlyEvents);
  if (search.reveal === undefined && !isOlder) {
    search.older = { isComplete: false };
    search.reveal = await searchEvents(options, 'older', search.older);
  }
  if (search.reveal !== undefined && caller.mayCall()) {
    const { tx, block } = search.reveal;
    const receipt = callPart('eth_getTransactionReceipt', [tx], readReceipt);
    const parts = { receipt, mined: blockPart(block), requested: blockPart(fromBlock) };
    const answer = await caller.call(endpoint, parts);
    if (answer.ok) {
      const { requested } = answer.value;
      const requestedMs = requested?.number === fromBlock ? requested.timeMs : undefined;
      search.reveal = { ...search.reveal, ...detailsOf(answer.value), ...(requestedMs && { requestedMs }) };
    }
  }
  return search;
}

/** @param searched updated with the result @param earlyEvents from the request’s block to the newest */
async function searchEvents(
  { caller, endpoint, query, head, fromBlock }: Options,
  generation: 'present' | 'older',
  searched: SearchedBlocks,
  earlyEvents?: MatchingEvents['events'],
): Promise<RevealSearch['reveal']> {
  const id = { provider: query.provider, sequence: query.sequence };
  const topics = revealTopics(id)[generation];
  let reveal: RevealSearch['reveal'];
  const accept = (events: NonNullable<MatchingEvents['events']>, toBlock: bigint) => {
    reveal = decodeReveals(events, id).at(-1);
    searched.toBlock = toBlock;
    searched.isComplete = toBlock >= head.number;
  };
  if (earlyEvents !== undefined) accept(earlyEvents, head.number);
  let size: bigint | undefined;
  while (reveal === undefined && !searched.isComplete && caller.mayCall(1)) {
    const next = searched.toBlock === undefined ? fromBlock : searched.toBlock + 1n;
    const ranges =
      size === undefined ? rangesToTry(next, head.number, generation) : rangesFrom(next, head.number, size);
    const parts = ranges.map(({ from, to }) => eventsPart(query.contract, topics, from, to));
    const answer = await caller.call(endpoint, Object.fromEntries(parts.entries()));
    const results = answer.ok ? ranges.map((range, index) => ({ ...range, ...answer.value[index] })) : [];
    const refused = results.find(({ events }) => events === undefined);
    const nodeMessage = answer.ok ? refused?.nodeMessage : answer.failure.detail;
    if (nodeMessage !== undefined) searched.nodeMessage = nodeMessage;
    const accepted =
      size === undefined ? results.filter(isAnswered).slice(0, 1) : resultsUntilRefused(results);
    for (const { events, to } of accepted) if (reveal === undefined) accept(events, to);
    const [first] = accepted;
    if (first === undefined) break;
    size ??= first.to - first.from;
  }
  return reveal;
}

type Answered = Range & { events: NonNullable<MatchingEvents['events']> };

function isAnswered(result: Range & Partial<MatchingEvents>): result is Answered {
  return result.events !== undefined;
}

/** Results up to the first refused range. Behind it there would be a gap. */
function resultsUntilRefused(results: readonly (Range & Partial<MatchingEvents>)[]): Answered[] {
  const end = results.findIndex((range) => !isAnswered(range));
  return (end < 0 ? results : results.slice(0, end)).filter(isAnswered);
}

const lesser = (a: bigint, b: bigint) => (a < b ? a : b);

function rangesToTry(from: bigint, head: bigint, generation: keyof typeof RANGES): Range[] {
  return RANGES[generation].map((size) => ({ from, to: lesser(from + size, head) }));
}

function rangesFrom(from: bigint, head: bigint, size: bigint): Range[] {
  const starts = Array.from({ length: RANGES_AT_ONCE }, (_, index) => from + BigInt(index) * (size + 1n));
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
