import { assertNever } from './assert-never';
import { readRow, rowIdentity } from './log-row';
import { failed, type Outcome, ok } from './outcome';
import { isUsualTime } from './units';
import { integerText, isWireObject, member, readWireDocument } from './wire-json';

/**
 * Where a request stands. Every figure is text with all its digits; hex is kept as it came. A state that neither the
 * contract nor the observed services name is `unknown` and shown by its wire name, never taken for pending.
 */
export type RequestState =
  | { kind: 'pending' }
  | {
      kind: 'completed';
      /** `unknown` when the service does not say whether the callback failed. */
      callback: 'ok' | 'failed' | 'unknown';
      revealTxHash?: string;
      revealBlock?: string;
      /** Hex without `0x`, as the combined number. */
      providerRandomNumber?: string;
      gasUsed?: string;
      combinedRandomNumber?: string;
      callbackReturnValue?: string;
      callbackGasUsed?: string;
    }
  | { kind: 'failed'; reason?: string; providerRandomNumber?: string | null }
  | { kind: 'unknown'; wireName: string };

/** A time as the service wrote it (up to nanoseconds, perhaps without a zone) and as unix milliseconds. */
export type WireTime = { text: string; ms: number };

export type RequestRecord = {
  kind: 'record';
  /** Network, provider, sequence and request transaction, unique on its page. A sequence alone is no identity. */
  key: string;
  /** The name the keeper writes (`chain_id`); empty when it writes none. */
  chainName: string;
  networkId: string;
  sequence: string;
  createdAt: WireTime;
  updatedAt?: WireTime;
  gasLimit?: string;
  provider?: string;
  sender?: string;
  requestBlock?: string;
  requestTxHash?: string;
  state: RequestState;
  userRandomNumber?: string;
  /**
   * Members without a place above, and known ones with a value that could not be read, as JSON text. Those of the
   * `state` object stand under `state.<name>`.
   */
  extra: Record<string, string>;
  /** The whole row as JSON text, every digit kept. */
  rawJson: string;
};

/** A row that has no readable network, sequence or creation time: shown with its JSON, not dropped. */
export type UnreadableRow = { kind: 'unreadable'; key: string; rawJson: string; problem: string };

export type LogRow = RequestRecord | UnreadableRow;

export type LogPage = {
  /** In the order of the service: newest first, as a rule. */
  rows: LogRow[];
  /** `total_results` in decimal digits, not checked against the rows; undefined when absent, unreadable or beyond u64. */
  total: string | undefined;
};

/** Our words for the states, as the URL and the filters use them. */
export type StateWord = 'pending' | 'completed' | 'callback-failed' | 'failed';

/** Our word to the value of the service's query parameter `state`, which differs from what its records say. */
export const WIRE_STATE: Record<StateWord, string> = {
  pending: 'Pending',
  completed: 'Completed',
  'callback-failed': 'CallbackErrored',
  failed: 'Failed',
};

export function isStateWord(text: string): text is StateWord {
  return Object.hasOwn(WIRE_STATE, text);
}

/**
 * One of our words, or the wire name of an unknown state. A wire name that happens to be spelled like one of our words
 * comes in quotation marks, so that it cannot pass for it.
 */
export function stateWord(state: RequestState): string {
  switch (state.kind) {
    case 'pending':
    case 'failed':
      return state.kind;
    case 'completed':
      return state.callback === 'failed' ? 'callback-failed' : 'completed';
    case 'unknown':
      return isStateWord(state.wireName) ? `"${state.wireName}"` : state.wireName;
    default:
      return assertNever(state);
  }
}

/**
 * How long the request took (`duration`, from creation to the last update, for finished ones), or how old it is
 * (`age`, for pending and unknown ones). Never negative: a service clock ahead of ours gives 0.
 * @returns undefined for a finished request whose end the service does not tell.
 */
export function requestDuration(
  record: Pick<RequestRecord, 'state' | 'createdAt' | 'updatedAt'>,
  nowMs: number,
): { kind: 'duration' | 'age'; ms: number } | undefined {
  const finished = record.state.kind === 'completed' || record.state.kind === 'failed';
  if (!finished) return { kind: 'age', ms: Math.max(0, nowMs - record.createdAt.ms) };
  if (record.updatedAt === undefined) return undefined;
  return { kind: 'duration', ms: Math.max(0, record.updatedAt.ms - record.createdAt.ms) };
}

/**
 * Whether `readLogPage` makes a record of the row: an object with a network id, a sequence and a creation time. Takes
 * a row of JSON.parse as well as one of `parseWireJson`, and costs no more than looking at three members. (A number such
 * as 1e-400, which JSON.parse rounds to an integer, is one here only when it comes from JSON.parse.)
 */
export function isReadableRow(row: unknown): boolean {
  return isUsualRow(row) || rowIdentity(row).readable;
}

/** The form that services write, told without making anything: the gateway asks this of every row it passes on. */
function isUsualRow(row: unknown): boolean {
  if (!isWireObject(row)) return false;
  const { network_id, sequence, created_at } = row;
  return (
    isCount(network_id) && isCount(sequence) && typeof created_at === 'string' && isUsualTime(created_at)
  );
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** A log list whose rows are read one at a time. */
export type OpenedLogPage = {
  /** How many rows there are. */
  count: number;
  /** The row at an index; each may be read once, from the first to the last. */
  row(index: number): LogRow;
  /** As in `LogPage`. */
  total: string | undefined;
};

/** Fails with `malformed` when the text is not JSON or has no list `requests`. */
export function openLogPage(text: string): Outcome<OpenedLogPage> {
  const document = readWireDocument(text);
  if (document === undefined) return malformed('The log list is not JSON, or it was cut off.');
  const body = document.value;
  const requests: unknown = isWireObject(body) ? member(body, 'requests') : undefined;
  if (!isWireObject(body) || !Array.isArray(requests)) {
    return malformed('The log list has no list of requests.');
  }
  const total = integerText(member(body, 'total_results'));
  const isCount = total !== undefined && /^\d{1,20}$/.test(total);
  const uniqueKey = keysMadeUnique();
  return ok({
    count: requests.length,
    row(index) {
      const read = readRow(requests[index], document.textOf);
      return { ...read, key: uniqueKey(read.key) };
    },
    total: isCount ? total : undefined,
  });
}

/**
 * Reads the log list response, one row at a time: what cannot be read becomes an `unreadable` row, what is not known
 * is kept in `extra`. Fails with `malformed` when the text is not JSON or has no list `requests`.
 */
export function readLogPage(text: string): Outcome<LogPage> {
  const opened = openLogPage(text);
  if (!opened.ok) return opened;
  const { count, row, total } = opened.value;
  return ok({ rows: Array.from({ length: count }, (_, index) => row(index)), total });
}

function malformed(detail: string): Outcome<never> {
  return failed({ kind: 'malformed', service: 'logs', detail });
}

/** The second row of a key becomes `key#2`, the third `key#3`: a moving list can repeat a row on one page. */
function keysMadeUnique(): (key: string) => string {
  const seen = new Map<string, number>();
  return (key) => {
    let count = (seen.get(key) ?? 0) + 1;
    let unique = count === 1 ? key : `${key}#${count}`;
    while (count > 1 && seen.has(unique)) {
      count += 1;
      unique = `${key}#${count}`;
    }
    seen.set(key, count);
    if (unique !== key) seen.set(unique, 1);
    return unique;
  };
}
