import { type RequestRecord, requestDuration, stateWord, type WireTime } from '@/lib/core/request-record';
import { isoTimeInUtc } from '@/lib/core/time';
import type { ListedRow } from './answers';
import type { ColumnId } from './columns';

/** A row that is a request, and the keeper that logged it. */
export type ListedRecord = RequestRecord & { keeper: string };

/** More digits than any amount of gas has; longer ones are no figure to calculate with. */
const MOST_GAS_DIGITS = 60;

/**
 * The whole text of a cell: what is copied, compared with filters and searched. Times are ISO text in UTC with every digit,
 * durations whole milliseconds, states our words or a wire name, the gas share percent with two decimals.
 * @param nowMs unix milliseconds, for the age of a request that is not finished; without it such a cell has no text
 * @returns undefined where the service sent no value, and for a row that can't be read
 */
export function cellText(row: ListedRow, id: ColumnId, nowMs?: number): string | undefined {
  return row.kind === 'record' ? TEXTS[id](row, nowMs) : undefined;
}

const TEXTS: Record<ColumnId, (record: ListedRecord, nowMs: number | undefined) => string | undefined> = {
  keeper: (record) => record.keeper,
  network: (record) => record.networkId,
  sequence: (record) => record.sequence,
  created: (record) => isoText(record.createdAt),
  updated: (record) => isoText(record.updatedAt),
  duration: durationText,
  state: (record) => stateWord(record.state),
  sender: (record) => record.sender,
  provider: (record) => record.provider,
  'request-tx': (record) => record.requestTxHash,
  'reveal-tx': ({ state }) => (state.kind === 'completed' ? state.revealTxHash : undefined),
  block: (record) => record.requestBlock,
  'gas-limit': (record) => record.gasLimit,
  'gas-used': ({ state }) => (state.kind === 'completed' ? state.gasUsed : undefined),
  'gas-share': (record) => gasShareText(record),
  failure: (record) => failureText(record),
  'user-random': (record) => record.userRandomNumber,
  'provider-random': ({ state }) =>
    'providerRandomNumber' in state ? (state.providerRandomNumber ?? undefined) : undefined,
  'random-number': ({ state }) => (state.kind === 'completed' ? state.combinedRandomNumber : undefined),
};

function isoText(time: WireTime | undefined): string | undefined {
  return time === undefined ? undefined : (isoTimeInUtc(time.text) ?? time.text);
}

function durationText(record: ListedRecord, nowMs: number | undefined): string | undefined {
  const length = requestDuration(record, nowMs ?? record.createdAt.ms);
  return length === undefined || (length.kind === 'age' && nowMs === undefined)
    ? undefined
    : String(length.ms);
}

/** Why a request failed: the reason of the service, or what the failed callback returned. */
export function failureText({ state }: Pick<RequestRecord, 'state'>): string | undefined {
  if (state.kind === 'failed') return state.reason;
  const isCallback = state.kind === 'completed' && state.callback === 'failed';
  return isCallback ? state.callbackReturnValue : undefined;
}

/** Gas used as a share of the gas limit, as an exact fraction; undefined without both figures. */
export function gasShare({
  state,
  gasLimit,
}: Pick<RequestRecord, 'state' | 'gasLimit'>): { used: bigint; limit: bigint } | undefined {
  const used = state.kind === 'completed' ? state.gasUsed : undefined;
  if (used === undefined || gasLimit === undefined) return undefined;
  if (gasLimit === '0' || Math.max(used.length, gasLimit.length) > MOST_GAS_DIGITS) return undefined;
  return { used: BigInt(used), limit: BigInt(gasLimit) };
}

/** Percent with two decimals, rounded down: 100.00 is never shown before the limit is reached. */
export function gasShareText(record: Pick<RequestRecord, 'state' | 'gasLimit'>): string | undefined {
  const share = gasShare(record);
  if (share === undefined) return undefined;
  const hundredths = (share.used * 10_000n) / share.limit;
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`;
}

/** Integers of gas are u256 at most: 78 digits. Longer ones are no gas, and would only keep BigInt busy. */
const MOST_DIGITS = 78;

function amount(digits: string | undefined): bigint | undefined {
  return digits !== undefined && digits.length <= MOST_DIGITS && /^\d+$/.test(digits)
    ? BigInt(digits)
    : undefined;
}

/**
 * How many percent `part` is of `whole`, both decimal digits of any size: exact to two decimals, rounded half up, in
 * integers only. `98.50`; `0.00` may be a tiny part.
 * @returns undefined when either is absent or no amount, and for parts of nothing
 */
export function percentOf(part: string | undefined, whole: string | undefined): string | undefined {
  const [numerator, denominator] = [amount(part), amount(whole)];
  if (numerator === undefined || denominator === undefined || denominator === 0n) return undefined;
  const hundredths = (numerator * 20_000n + denominator) / (2n * denominator);
  const text = hundredths.toString().padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** One bar: `digits` as the service wrote them, its percent of the gas limit, and its length from 0 to 1 for drawing. */
export type GasBar = { digits: string; percent?: string; length: number };

/** Gas of a request on one scale. What the service did not write is absent. `limit.length` is where the limit stands. */
export type GasBars = { limit?: GasBar; callback?: GasBar; transaction?: GasBar };

/**
 * The gas limit of the callback, what the callback used of it, and what the whole reveal transaction used (which may
 * well be more). The longest of them has the length 1.
 */
export function gasBars(given: { gasLimit?: string; gasUsed?: string; callbackGasUsed?: string }): GasBars {
  const figures = { limit: given.gasLimit, callback: given.callbackGasUsed, transaction: given.gasUsed };
  const most = Object.values(figures).reduce((top, digits) => {
    const value = amount(digits) ?? 0n;
    return value > top ? value : top;
  }, 0n);
  const bar = (digits: string | undefined): GasBar | undefined => {
    if (digits === undefined) return undefined;
    const percent = percentOf(digits, given.gasLimit);
    // Four decimals are more than a screen can show.
    const length = most === 0n ? 0 : Number(((amount(digits) ?? 0n) * 10_000n) / most) / 10_000;
    return { digits, length, ...(percent === undefined ? {} : { percent }) };
  };
  const bars = {
    limit: bar(figures.limit),
    callback: bar(figures.callback),
    transaction: bar(figures.transaction),
  };
  return Object.fromEntries(Object.entries(bars).filter(([, one]) => one !== undefined));
}
