import { countOf } from '@/lib/core/numbers';
import { type BlockTimes, requestDuration, type WireTime } from '@/lib/core/request-record';
import { formatAge, formatDuration, formatIsoSeconds } from '@/lib/core/time';
import type { ListedRecord } from './requests-response';

/**
 * A step in the life of a request. `open`: it has not happened yet. `bad`: it went wrong. `unknown`: neither log nor
 * chain confirm it.
 */
export type Step = {
  name: string;
  hint: string;
  state: 'done' | 'open' | 'bad' | 'unknown';
  time?: WireTime | undefined;
  /** Upper bound of the step's time, which itself is not in the log. */
  before?: WireTime | undefined;
  block?: string | undefined;
  txHash?: string | undefined;
  /** Text in place of a time, if the step has none. */
  noTime?: string | undefined;
  /**
   * Time since the step that this one is counted from, such as `3 blocks later`. `+4 s` counts from the block of the
   * request.
   */
  after?: string | undefined;
};

const isBlock = (text: string | undefined): text is string => text !== undefined && /^\d{1,20}$/.test(text);

function blocksLater(from: string | undefined, to: string | undefined): string | undefined {
  if (!isBlock(from) || !isBlock(to)) return undefined;
  const blocks = BigInt(to) - BigInt(from);
  if (blocks < 0n) return undefined;
  return blocks === 0n ? 'in the same block' : `${countOf(blocks.toString(), 'block')} later`;
}

/** `+2 s, 3 blocks`; if the time is unknown, `3 blocks later`. */
function waitInBlocks(since: string | undefined, blocks: string | undefined): string | undefined {
  if (since === undefined || blocks === undefined) return since ?? blocks;
  return `${since}, ${blocks.replace(/ later$|^in the /, '')}`;
}

/** State of the request transaction on the chain. */
type TransactionState = 'mined' | 'reverted' | 'waiting' | 'missing';

/** The step of the request transaction where the chain contradicts the log. `reverted` keeps its block. */
const CONTRADICTED = {
  missing: { state: 'unknown', block: undefined, after: 'unknown to the chain' },
  waiting: { state: 'open', block: undefined, after: 'not mined yet' },
  reverted: { state: 'bad', after: 'reverted' },
} as const;

/**
 * The four steps from the request to its outcome, by the keeper's log and, for the first step, by the chain.
 * @param nowMs unix ms
 * @param transaction undefined until the chain has answered
 * @param times block times of request and answer, by the chain
 */
export function stepsOf(
  record: ListedRecord,
  nowMs: number,
  transaction?: TransactionState,
  times?: BlockTimes,
): Step[] {
  const { createdAt, requestBlock, requestTxHash } = record;
  const requested: Step = {
    name: 'Requested',
    hint: 'The transaction of the request',
    state: requestBlock === undefined && requestTxHash === undefined ? 'unknown' : 'done',
    ...(times === undefined ? { before: createdAt } : { time: blockTime(times.requestedMs) }),
    block: requestBlock,
    txHash: requestTxHash,
    ...(transaction === undefined || transaction === 'mined' ? {} : CONTRADICTED[transaction]),
  };
  const seen: Step = {
    name: 'Seen',
    hint: 'When the keeper logged the request',
    state: 'done',
    time: createdAt,
    after: sinceRequest(createdAt.ms, times),
  };
  return [requested, seen, ...outcomeSteps(record, nowMs, times)];
}

const blockTime = (ms: number): WireTime => ({ ms, text: formatIsoSeconds(ms) });

/** `+4 s` since the block of the request; undefined if its time is unknown, or if the clocks contradict it. */
function sinceRequest(ms: number | undefined, times: BlockTimes | undefined): string | undefined {
  const waitedMs = ms === undefined || times === undefined ? -1 : ms - times.requestedMs;
  return waitedMs < 0 ? undefined : `+${formatAge(waitedMs)}`;
}

/** Steps of the reveal and of its outcome, by the log. */
function outcomeSteps(record: ListedRecord, nowMs: number, times: BlockTimes | undefined): Step[] {
  const { updatedAt, firstFinishedAt, requestBlock, state } = record;
  const endedAt = firstFinishedAt ?? updatedAt;
  const length = requestDuration(record, nowMs);
  const spent = length?.kind === 'duration' ? `${formatDuration(length.ms)} after seen` : undefined;
  const ended = sinceRequest(endedAt?.ms, times) ?? spent;
  if (state.kind === 'completed') {
    const isReverted = state.callback === 'failed';
    return [
      {
        name: isReverted ? 'Revealed, callback reverted' : 'Revealed',
        hint: 'The transaction that revealed the number and called back',
        state: isReverted ? 'bad' : 'done',
        ...(times === undefined ? { noTime: 'time not in the log' } : { time: blockTime(times.answeredMs) }),
        block: state.revealBlock,
        txHash: state.revealTxHash,
        after: waitInBlocks(
          sinceRequest(times?.answeredMs, times),
          blocksLater(requestBlock, state.revealBlock),
        ),
      },
      {
        name: 'Confirmed',
        hint: 'When the keeper first logged this outcome',
        state: 'done',
        time: endedAt,
        after: ended,
      },
    ];
  }
  if (state.kind === 'failed') {
    return [
      { name: 'No reveal logged', hint: 'The keeper logged no reveal of this request', state: 'unknown' },
      {
        name: 'Failed',
        hint: 'When the keeper first logged this outcome',
        state: 'bad',
        time: endedAt,
        after: ended,
      },
    ];
  }
  const isPending = state.kind === 'pending';
  return [
    {
      name: isPending ? 'No reveal logged' : 'Reveal unknown',
      hint: 'No reveal is logged',
      state: isPending ? 'open' : 'unknown',
      after: length?.kind === 'age' ? `pending for ${formatAge(length.ms)}` : undefined,
    },
    { name: 'Not confirmed', hint: 'No outcome is logged', state: isPending ? 'open' : 'unknown' },
  ];
}
