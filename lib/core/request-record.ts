import { assertNever, failed, type Outcome, ok } from './outcome';
import { parseIsoTime } from './time';
import { integerText, isWireObject, member, readWireDocument, type WireDocument } from './wire-json';

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
  /** Network, provider, sequence and request transaction. A sequence alone is no identity. */
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

/** Whether `readLogPage` makes a record of the row. Takes a row of JSON.parse as well as one of `readWireDocument`. */
export function isReadableRow(row: unknown): boolean {
  return rowIdentity(row).readable;
}

/** A log list whose rows are read one at a time. */
export type OpenedLogPage = {
  /** The rows as they were parsed. */
  requests: readonly unknown[];
  row(index: number): LogRow;
  /** As in `LogPage`. */
  total: string | undefined;
};

/** Fails with `malformed` when the text is not JSON or has no list `requests`. */
export function openLogPage(text: string): Outcome<OpenedLogPage> {
  const document = readWireDocument(text);
  if (document === undefined) return malformed('The log list is not JSON, or it was cut off.');
  const body = isWireObject(document.value) ? document.value : {};
  const requests = member(body, 'requests');
  if (!Array.isArray(requests)) return malformed('The log list has no list of requests.');
  const total = integerText(member(body, 'total_results'));
  return ok({
    requests,
    row: (index) => readRow(requests[index], document.textOf),
    total: total !== undefined && /^\d{1,20}$/.test(total) ? total : undefined,
  });
}

/**
 * Reads the log list response, one row at a time: what cannot be read becomes an `unreadable` row, what is not known
 * is kept in `extra`. Fails as `openLogPage`.
 */
export function readLogPage(text: string): Outcome<LogPage> {
  const opened = openLogPage(text);
  if (!opened.ok) return opened;
  const { requests, row, total } = opened.value;
  return ok({ rows: requests.map((_, index) => row(index)), total });
}

/** A row that was kept as its own JSON text. */
export function readRowText(text: string): LogRow {
  const document = readWireDocument(text);
  return document === undefined
    ? unreadableRow(text, 'The row is not JSON.')
    : readRow(document.value, document.textOf);
}

function malformed(detail: string): Outcome<never> {
  return failed({ kind: 'malformed', service: 'logs', detail });
}

type Identity =
  | { readable: true; row: Record<string, unknown>; networkId: string; sequence: string; createdAt: WireTime }
  | { readable: false; problem: string };

/** The three things without which a row is not a request, or the first of them that is wrong. */
function rowIdentity(row: unknown): Identity {
  if (!isWireObject(row)) return { readable: false, problem: 'The row is not an object.' };
  const networkId = unsignedText(member(row, 'network_id'));
  if (networkId === undefined)
    return { readable: false, problem: 'network_id is not an integer of 0 or more.' };
  const sequence = boundedInteger(member(row, 'sequence'));
  if (sequence === undefined) return { readable: false, problem: 'sequence is not an integer.' };
  const createdAt = wireTime(member(row, 'created_at'));
  if (createdAt === undefined) return { readable: false, problem: 'created_at is not a time.' };
  return { readable: true, row, networkId, sequence, createdAt };
}

type TextOf = WireDocument['textOf'];

function readRow(row: unknown, textOf: TextOf): LogRow {
  const identity = rowIdentity(row);
  const rawJson = textOf(row);
  if (!identity.readable) return unreadableRow(rawJson, identity.problem);
  const { networkId, sequence, createdAt } = identity;
  const members = memberReader(identity.row, textOf, '', ['network_id', 'sequence', 'created_at', 'state']);
  const optional = {
    updatedAt: members.take('last_updated_at', wireTime),
    gasLimit: members.take('gas_limit', unsignedText),
    provider: members.take('provider', anyText),
    sender: members.take('sender', anyText),
    requestBlock: members.take('request_block_number', unsignedText),
    requestTxHash: members.take('request_tx_hash', anyText),
    userRandomNumber: members.take('user_random_number', anyText),
  };
  const { state, extra } = readState(member(identity.row, 'state'), textOf);
  const provider = optional.provider?.toLowerCase() ?? '';
  const requestTxHash = optional.requestTxHash?.toLowerCase() ?? '';
  return {
    kind: 'record',
    key: `${networkId}/${provider}/${sequence}/${requestTxHash}`,
    chainName: members.take('chain_id', nameText) ?? '',
    networkId,
    sequence,
    createdAt,
    ...present(optional),
    state,
    extra: Object.fromEntries([...members.rest(), ...extra]),
    rawJson,
  };
}

const unreadableRow = (rawJson: string, problem: string): UnreadableRow => ({
  kind: 'unreadable',
  key: `unreadable/${fingerprint(rawJson)}`,
  rawJson,
  problem,
});

type ReadState = { state: RequestState; extra: [string, string][] };

function readState(value: unknown, textOf: TextOf): ReadState {
  if (value === undefined) return { state: { kind: 'unknown', wireName: 'missing' }, extra: [] };
  if (!isWireObject(value)) {
    return { state: { kind: 'unknown', wireName: textOf(value) }, extra: [] };
  }
  const members = memberReader(value, textOf, 'state.', ['state']);
  const state = stateOf(member(value, 'state'), members, textOf);
  return { state, extra: members.rest() };
}

function stateOf(name: unknown, members: MemberReader, textOf: TextOf): RequestState {
  if (name === 'pending') return { kind: 'pending' };
  if (name === 'completed') return completedState(members);
  if (name === 'failed') {
    const reason = members.take('reason', anyText);
    const providerRandomNumber = members.takeNullable('provider_random_number', anyText);
    return { kind: 'failed', ...present({ reason, providerRandomNumber }) };
  }
  if (name === undefined) return { kind: 'unknown', wireName: 'missing' };
  // A blank or odd name is shown as JSON, so that there is something to see.
  const shown = typeof name === 'string' && name.trim() !== '' ? name : textOf(name);
  return { kind: 'unknown', wireName: shown };
}

function completedState(members: MemberReader): RequestState {
  const callbackFailed = members.take('callback_failed', (value) =>
    typeof value === 'boolean' ? value : undefined,
  );
  return {
    kind: 'completed',
    callback: callbackFailed === undefined ? 'unknown' : callbackFailed ? 'failed' : 'ok',
    ...present({
      revealTxHash: members.take('reveal_tx_hash', anyText),
      revealBlock: members.take('reveal_block_number', unsignedText),
      providerRandomNumber: members.take('provider_random_number', anyText),
      gasUsed: members.take('gas_used', unsignedText),
      combinedRandomNumber: members.take('combined_random_number', anyText),
      callbackReturnValue: members.take('callback_return_value', anyText),
      callbackGasUsed: members.take('callback_gas_used', unsignedText),
    }),
  };
}

type Reader<T> = (value: unknown) => T | undefined;

type MemberReader = {
  /** The member read; undefined when absent, null, or not readable (then it is among the rest). */
  take<T>(name: string, read: Reader<T>): T | undefined;
  /** As `take`, but null stays null. */
  takeNullable<T>(name: string, read: Reader<T>): T | null | undefined;
  /** Name and JSON text of every member that was not read. */
  rest(): [string, string][];
};

function memberReader(
  object: Record<string, unknown>,
  textOf: TextOf,
  prefix: string,
  handled: string[],
): MemberReader {
  // Every row passes here twice: a list of names is filled faster than a set, and mostly nothing is left over.
  const read = [...handled];
  const takeNullable = <T>(name: string, reader: Reader<T>): T | null | undefined => {
    const value = member(object, name);
    const result = value === undefined || value === null ? value : reader(value);
    if (value === undefined || result !== undefined) read.push(name);
    return result;
  };
  return {
    takeNullable,
    take: (name, reader) => takeNullable(name, reader) ?? undefined,
    rest: () =>
      Object.keys(object)
        .filter((name) => !read.includes(name))
        .map((name) => [prefix + name, textOf(object[name])]),
  };
}

/** Without the members that are undefined: they are absent, also for a caller that counts keys. */
function present<T extends object>(members: T): T {
  const kept: Partial<T> = {};
  // Every row passes here: this is five times as fast as going through its entries.
  for (const name in members) if (members[name] !== undefined) kept[name] = members[name];
  return kept as T;
}

function anyText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function nameText(value: unknown): string | undefined {
  return anyText(value) ?? integerText(value);
}

/** A u256 has 78 digits at most. Longer ones are no number of a chain, and a million of them would keep BigInt busy for a second. */
const MOST_DIGITS = 78;

function boundedInteger(value: unknown): string | undefined {
  const text = integerText(value);
  return text !== undefined && text.length <= MOST_DIGITS ? text : undefined;
}

function unsignedText(value: unknown): string | undefined {
  const text = boundedInteger(value);
  return text?.startsWith('-') ? undefined : text;
}

function wireTime(value: unknown): WireTime | undefined {
  const ms = typeof value === 'string' ? parseIsoTime(value) : undefined;
  return ms === undefined ? undefined : { text: String(value), ms };
}

/** FNV-1a, 32 bits: the same unreadable row keeps its key from one answer to the next. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
