import { groupDigits } from '@/lib/core/numbers';
import type { BlockTimes, WireTime } from '@/lib/core/request-record';
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
  /** Text in place of a time if there is none. */
  noTime?: string | undefined;
  /**
   * `+4 s` since the block of the request, or, if its time is unknown, since the request was seen. `≤ +4 s` for
   * `before`.
   */
  after?: string | undefined;
  block?: string | undefined;
  /** Text in place of a block. */
  note?: string | undefined;
  /** Number of blocks after the request's, such as `+3`. */
  blocksAfter?: string | undefined;
  txHash?: string | undefined;
};

const isBlock = (text: string | undefined): text is string => text !== undefined && /^\d{1,20}$/.test(text);

function blocksBetween(from: string | undefined, to: string | undefined): string | undefined {
  if (!isBlock(from) || !isBlock(to)) return undefined;
  const blocks = BigInt(to) - BigInt(from);
  return blocks < 0n ? undefined : `+${groupDigits(blocks.toString())}`;
}

/** State of the request transaction on the chain. */
type TransactionState = 'mined' | 'reverted' | 'waiting' | 'missing';

/**
 * The request transaction if the chain contradicts the log. A note replaces the block, so that the height of the step
 * is unchanged.
 */
const CONTRADICTED = {
  missing: { state: 'unknown', block: undefined, note: 'unknown to the chain' },
  waiting: { state: 'open', block: undefined, note: 'not mined yet' },
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
    ...(times === undefined
      ? { before: createdAt, after: '≤ +0 s' }
      : { time: blockTime(times.requestedMs), after: since(times.requestedMs, createdAt, times) }),
    block: requestBlock,
    txHash: requestTxHash,
    ...(transaction === undefined || transaction === 'mined' ? {} : CONTRADICTED[transaction]),
  };
  const seen: Step = {
    name: 'Seen',
    hint: 'When the keeper logged the request',
    state: 'done',
    time: createdAt,
    after: since(createdAt.ms, createdAt, times),
  };
  return [requested, seen, ...outcomeSteps(record, nowMs, times)];
}

const blockTime = (ms: number): WireTime => ({ ms, text: formatIsoSeconds(ms) });

/**
 * Time since the block of the request, in whole seconds like block times. If the block time is unknown, the time since
 * the request was seen; undefined if the clocks contradict it.
 */
function since(ms: number | undefined, seen: WireTime, times: BlockTimes | undefined): string | undefined {
  const waitedMs = ms === undefined ? -1 : ms - (times?.requestedMs ?? seen.ms);
  if (waitedMs < 0) return undefined;
  return `+${times === undefined && waitedMs > 0 ? formatDuration(waitedMs) : formatAge(waitedMs)}`;
}

/** Steps of the reveal and of its outcome, by the log. */
function outcomeSteps(record: ListedRecord, nowMs: number, times: BlockTimes | undefined): Step[] {
  const { createdAt, updatedAt, firstFinishedAt, requestBlock, state } = record;
  const endedAt = firstFinishedAt ?? updatedAt;
  const ended = since(endedAt?.ms, createdAt, times);
  if (state.kind === 'completed') {
    const isReverted = state.callback === 'failed';
    return [
      {
        name: isReverted ? 'Revealed, callback reverted' : 'Revealed',
        hint: 'The transaction that revealed the number and called back',
        state: isReverted ? 'bad' : 'done',
        ...revealTime(endedAt, ended, createdAt, times),
        block: state.revealBlock,
        blocksAfter: blocksBetween(requestBlock, state.revealBlock),
        txHash: state.revealTxHash,
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
      noTime: isPending ? 'not yet' : undefined,
      after: isPending ? `+${formatAge(nowMs - createdAt.ms)} so far` : undefined,
    },
    {
      name: 'Not confirmed',
      hint: 'No outcome is logged',
      state: isPending ? 'open' : 'unknown',
      noTime: isPending ? 'not yet' : undefined,
    },
  ];
}

/** Time of the reveal by the chain. The log only shows that it was earlier than the logged outcome. */
function revealTime(
  endedAt: WireTime | undefined,
  ended: string | undefined,
  seen: WireTime,
  times: BlockTimes | undefined,
): Pick<Step, 'time' | 'before' | 'after' | 'noTime'> {
  if (times !== undefined) {
    return { time: blockTime(times.answeredMs), after: since(times.answeredMs, seen, times) };
  }
  if (endedAt === undefined) return { noTime: 'time not in the log' };
  return { before: endedAt, after: ended && `≤ ${ended}` };
}
