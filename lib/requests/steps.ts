import { groupDigits } from '@/lib/core/numbers';
import { type BlockTimes, isFinished, type WireTime } from '@/lib/core/request-record';
import { formatAge, formatDuration, formatIsoSeconds } from '@/lib/core/time';
import type { ListedRecord } from './requests-response';

/** `open`: has not happened yet. `bad`: went wrong. `unknown`: neither log nor chain confirm it. */
export type Step = {
  name: string;
  hint: string;
  state: 'done' | 'open' | 'bad' | 'unknown';
  time?: WireTime | undefined;
  /** Upper bound of a time that the log does not have. */
  before?: WireTime | undefined;
  /** Text in place of a time. */
  noTime?: string | undefined;
  /** `+4 s` since the step that is the `Start`. `≤ +4 s` for `before`. */
  after?: string | undefined;
  block?: string | undefined;
  /** Text in place of a block. */
  note?: string | undefined;
  /** Blocks since the request's block, such as `+3`. */
  blocksAfter?: string | undefined;
  txHash?: string | undefined;
};

const isBlock = (text: string | undefined): text is string => text !== undefined && /^\d{1,20}$/.test(text);

function blocksBetween(from: string | undefined, to: string | undefined): string | undefined {
  if (!isBlock(from) || !isBlock(to)) return undefined;
  const blocks = BigInt(to) - BigInt(from);
  return blocks < 0n ? undefined : `+${groupDigits(blocks.toString())}`;
}

/** The block of the request, or where its time is unknown, when the keeper saw it. All steps count from there. */
export const startMs = (createdAt: WireTime, times: BlockTimes | undefined): number =>
  times?.requestedMs ?? createdAt.ms;

const START = 'Start';

type TransactionState = 'mined' | 'reverted' | 'waiting' | 'missing';

/** Shown if the chain contradicts the log. A note replaces the block, so that the step keeps its height. */
const CONTRADICTED = {
  missing: { state: 'unknown', block: undefined, note: 'unknown to the chain' },
  waiting: { state: 'open', block: undefined, note: 'not mined yet' },
  reverted: { state: 'bad', after: 'reverted' },
} as const;

/**
 * The request, its reveal and outcome by the log; the chain corrects the first step.
 * @param transaction undefined until the chain has answered
 */
export function requestSteps(
  record: ListedRecord,
  transaction?: TransactionState,
  times?: BlockTimes,
): Step[] {
  const { createdAt, requestBlock, requestTxHash } = record;
  const requested: Step = {
    name: 'Requested',
    hint: 'The transaction of the request',
    state: requestBlock === undefined && requestTxHash === undefined ? 'unknown' : 'done',
    ...(times === undefined ? { before: createdAt } : { time: blockTime(times.requestedMs), after: START }),
    block: requestBlock,
    txHash: requestTxHash,
    ...(transaction === undefined || transaction === 'mined' ? {} : CONTRADICTED[transaction]),
  };
  const seen: Step = {
    name: 'Seen',
    hint: 'When the keeper logged the request',
    state: 'done',
    time: createdAt,
    after: times === undefined ? START : waitText(createdAt.ms, createdAt, times),
  };
  return [requested, seen, ...outcomeSteps(record, times)];
}

const blockTime = (ms: number): WireTime => ({ ms, text: formatIsoSeconds(ms) });

/** Whole seconds, like block times; undefined if the clocks contradict it. */
function waitText(ms: number | undefined, seen: WireTime, times: BlockTimes | undefined): string | undefined {
  const waitedMs = ms === undefined ? -1 : ms - startMs(seen, times);
  if (waitedMs < 0) return undefined;
  return `+${times === undefined && waitedMs > 0 ? formatDuration(waitedMs) : formatAge(waitedMs)}`;
}

/** Time between two steps. `id` is the step that ends it, `length` the difference between both as shown. */
export type Wait = {
  id: 'seen' | 'revealed' | 'ended';
  name: string;
  fromMs: number;
  toMs: number;
  length: string;
};

/** Waits whose both ends are known, oldest first; the last of an open request lasts until now. */
export function requestWaits(record: ListedRecord, times: BlockTimes | undefined, nowMs: number): Wait[] {
  const { createdAt, updatedAt, firstFinishedAt, state } = record;
  const endedMs = isFinished(record) ? (firstFinishedAt ?? updatedAt)?.ms : nowMs;
  const isAnswered = state.kind === 'completed';
  const ended = isAnswered ? 'until logged' : state.kind === 'failed' ? 'until it failed' : 'so far';
  const marks: [Wait['id'], string, number | undefined][] = [
    ['seen', 'until seen', times && createdAt.ms],
    ['revealed', 'until revealed', isAnswered ? times?.answeredMs : undefined],
    ['ended', ended, endedMs],
  ];
  const beginMs = startMs(createdAt, times);
  const wholeS = (ms: number) => Math.floor((ms - beginMs) / 1000);
  let fromMs = beginMs;
  return marks.flatMap(([id, name, toMs]) => {
    // Clocks of keeper and chain may contradict each other.
    if (toMs === undefined || toMs < fromMs) return [];
    const wholeMs = 1000 * (wholeS(toMs) - wholeS(fromMs));
    const exact = times === undefined ? formatDuration(toMs - fromMs) : formatAge(wholeMs);
    const length = times !== undefined && wholeMs === 0 ? 'under 1 s' : exact;
    const wait = { id, name, fromMs, toMs, length };
    fromMs = toMs;
    return [wait];
  });
}

function outcomeSteps(record: ListedRecord, times: BlockTimes | undefined): Step[] {
  const { createdAt, updatedAt, firstFinishedAt, requestBlock, state } = record;
  const endedAt = firstFinishedAt ?? updatedAt;
  const ended = waitText(endedAt?.ms, createdAt, times);
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
    },
    {
      name: 'Not confirmed',
      hint: 'No outcome is logged',
      state: isPending ? 'open' : 'unknown',
    },
  ];
}

/** The log only shows that the reveal was earlier than the logged outcome. */
function revealTime(
  endedAt: WireTime | undefined,
  ended: string | undefined,
  seen: WireTime,
  times: BlockTimes | undefined,
): Pick<Step, 'time' | 'before' | 'after' | 'noTime'> {
  if (times !== undefined) {
    return { time: blockTime(times.answeredMs), after: waitText(times.answeredMs, seen, times) };
  }
  if (endedAt === undefined) return { noTime: 'time not in the log' };
  return { before: endedAt, after: ended && `≤ ${ended}` };
}
