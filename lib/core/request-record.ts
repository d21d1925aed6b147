import { failed, type Outcome, ok } from './outcome';
import { formatIsoMillis, parseIsoTime } from './time';
import { integerText, isWireObject, member, readWireDocument, type WireDocument } from './wire-json';

/**
 * State of a request. Figures are text with all digits. A state with an unexpected name is `unknown`, never `pending`.
 */
export type RequestState =
  | { kind: 'pending' }
  | {
      kind: 'completed';
      /** `unknown` if the service does not report whether the callback failed. */
      callback: 'ok' | 'failed' | 'unknown';
      revealTxHash?: string;
      revealBlock?: string;
      /** Hex without `0x`, like `combinedRandomNumber`. */
      providerRandomNumber?: string;
      gasUsed?: string;
      combinedRandomNumber?: string;
      callbackReturnValue?: string;
      callbackGasUsed?: string;
    }
  | { kind: 'failed'; reason?: string; providerRandomNumber?: string | null }
  | { kind: 'unknown'; wireName: string };

/** A time as the service wrote it (up to nanoseconds, perhaps without a zone), and as unix milliseconds. */
export type WireTime = { text: string; ms: number };

/** Block times, by the chain, of a request and of its answer: unix ms, in whole seconds. */
export type BlockTimes = { requestedMs: number; answeredMs: number };

export type RequestRecord = {
  kind: 'record';
  /** Network, provider, sequence and request transaction. The sequence alone would not be unique. */
  key: string;
  /** Name of the network as the keeper writes it (`chain_id`); empty if it writes none. */
  chainName: string;
  networkId: string;
  sequence: string;
  createdAt: WireTime;
  updatedAt?: WireTime;
  /**
   * Time at which the row was first seen finished, if its service has since given it a later date. Not a member of the
   * wire row.
   */
  firstFinishedAt?: WireTime;
  gasLimit?: string;
  provider?: string;
  sender?: string;
  requestBlock?: string;
  requestTxHash?: string;
  state: RequestState;
  userRandomNumber?: string;
  /** Unknown or unreadable members as JSON text; those of `state` as `state.<name>`. */
  extra: Record<string, string>;
  /** The whole row as JSON text, with every digit. */
  rawJson: string;
};

/** A row without a readable network, sequence or creation time. It is shown with its JSON, not dropped. */
export type UnreadableRow = { kind: 'unreadable'; key: string; rawJson: string; problem: string };

export type LogRow = RequestRecord | UnreadableRow;

/** Our words for the states, as in the URL and the filters. */
export type StateWord = 'pending' | 'completed' | 'callback-failed' | 'failed';

/**
 * Our words for the states, to the values of the service's query parameter `state`, which differ from the names in its
 * records.
 */
export const WIRE_STATE: Record<StateWord, string> = {
  pending: 'Pending',
  completed: 'Completed',
  'callback-failed': 'CallbackErrored',
  failed: 'Failed',
};

export function isStateWord(text: string): text is StateWord {
  return Object.hasOwn(WIRE_STATE, text);
}

/** Our word for a state. For an unknown state, its wire name, in quotes if it is spelled like one of our words. */
export function stateWord(state: RequestState): string {
  switch (state.kind) {
    case 'pending':
    case 'failed':
      return state.kind;
    case 'completed':
      return state.callback === 'failed' ? 'callback-failed' : 'completed';
    case 'unknown':
      return isStateWord(state.wireName) ? `"${state.wireName}"` : state.wireName;
  }
}

/** Completed (with any callback outcome) or failed. An unknown state is neither finished nor pending. */
export function isFinished({ state }: Pick<RequestRecord, 'state'>): boolean {
  return state.kind === 'completed' || state.kind === 'failed';
}

/**
 * The `duration` from creation to the logged outcome for a finished request, undefined if the service names no time;
 * the `age` for any other request. A negative value becomes 0, because the service's clock may be ahead of ours.
 */
export function requestDuration(
  record: Pick<RequestRecord, 'state' | 'createdAt' | 'updatedAt' | 'firstFinishedAt'>,
  nowMs: number,
): { kind: 'duration' | 'age'; ms: number } | undefined {
  if (!isFinished(record)) return { kind: 'age', ms: Math.max(0, nowMs - record.createdAt.ms) };
  const finishedAt = record.firstFinishedAt ?? record.updatedAt;
  if (finishedAt === undefined) return undefined;
  return { kind: 'duration', ms: Math.max(0, finishedAt.ms - record.createdAt.ms) };
}

/**
 * The row with the time at which it first finished.
 * @param finishedUs unix microseconds; null or undefined if the last update is the first finish
 */
export function withFirstFinish<T extends LogRow>(row: T, finishedUs: number | null | undefined): T {
  if (row.kind === 'unreadable' || typeof finishedUs !== 'number') return row;
  return { ...row, firstFinishedAt: { ms: Math.floor(finishedUs / 1000), text: isoOfMicros(finishedUs) } };
}

/** Unix microseconds as ISO time, with as many decimals as needed. */
export function isoOfMicros(us: number): string {
  const ms = Math.floor(us / 1000);
  const micros = us - ms * 1000;
  return formatIsoMillis(ms).replace('Z', micros === 0 ? 'Z' : `${String(micros).padStart(3, '0')}Z`);
}

/** Whether the row can be read as a record. Accepts rows of JSON.parse and of `readWireDocument`. */
export const isReadableRow = (row: unknown) => typeof rowIdentity(row) !== 'string';

/** A log list in the order of the service, usually newest first. Its rows are read one at a time. */
export type OpenedLogPage = {
  requests: readonly unknown[];
  row(index: number): LogRow;
  /** `total_results` in digits, not checked against the rows; undefined if it is absent, unreadable or beyond u64. */
  total: string | undefined;
};

export type LogPage = { rows: LogRow[]; total: OpenedLogPage['total'] };

/** Opens a log list. `malformed` if the text is not JSON or has no list `requests`. */
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

/** @param text a row of the index. It is stored as JSON without whitespace, so it is the record's `rawJson`. */
export function readRowText(text: string): LogRow {
  const document = readWireDocument(text);
  if (document === undefined) return unreadableRow(text, 'The row is not JSON.');
  const { value, textOf } = document;
  return readRow(value, (part) => (part === value ? text : textOf(part)));
}

const malformed = (detail: string) => failed({ kind: 'malformed', service: 'logs', detail });

/** The three members that identify a request, or a message about the first one that cannot be read. */
function rowIdentity(row: unknown) {
  if (!isWireObject(row)) return 'The row is not an object.';
  const networkId = unsignedText(member(row, 'network_id'));
  if (networkId === undefined) return 'network_id is not an integer of 0 or more.';
  const sequence = boundedInteger(member(row, 'sequence'));
  if (sequence === undefined) return 'sequence is not an integer.';
  const createdAt = wireTime(member(row, 'created_at'));
  return createdAt === undefined ? 'created_at is not a time.' : { row, networkId, sequence, createdAt };
}

type TextOf = WireDocument['textOf'];

function readRow(row: unknown, textOf: TextOf): LogRow {
  const identity = rowIdentity(row);
  const rawJson = textOf(row);
  if (typeof identity === 'string') return unreadableRow(rawJson, identity);
  const { networkId, sequence, createdAt } = identity;
  const extra: Extra = [];
  const members = readMembers<RecordMembers>(identity.row, RECORD_MEMBERS, { textOf, extra, prefix: '' });
  const provider = members.provider?.toLowerCase() ?? '';
  const requestTxHash = members.requestTxHash?.toLowerCase() ?? '';
  return {
    kind: 'record',
    key: `${networkId}/${provider}/${sequence}/${requestTxHash}`,
    chainName: '',
    networkId,
    sequence,
    createdAt,
    ...members,
    state: readState(member(identity.row, 'state'), textOf, extra),
    extra: Object.fromEntries(extra),
    rawJson,
  };
}

const unreadableRow = (rawJson: string, problem: string): UnreadableRow => ({
  kind: 'unreadable',
  key: `unreadable/${fingerprint(rawJson)}`,
  rawJson,
  problem,
});

function readState(value: unknown, textOf: TextOf, extra: Extra): RequestState {
  if (value === undefined) return { kind: 'unknown', wireName: 'missing' };
  if (!isWireObject(value)) return { kind: 'unknown', wireName: textOf(value) };
  const name = member(value, 'state');
  const stateMembers =
    name === 'completed' ? COMPLETED_MEMBERS : name === 'failed' ? FAILED_MEMBERS : STATE_NAME;
  const members = readMembers<StateMembers>(value, stateMembers, { textOf, extra, prefix: 'state.' });
  if (name === 'pending') return { kind: name };
  if (name === 'failed') return { kind: name, ...members };
  if (name === 'completed') {
    const { callbackFailed, ...rest } = members;
    const callback = callbackFailed === undefined ? 'unknown' : callbackFailed ? 'failed' : 'ok';
    return { kind: name, callback, ...(rest as object) };
  }
  // A blank or odd name is shown as JSON, so that it is visible.
  const isName = typeof name === 'string' && name.trim() !== '';
  return { kind: 'unknown', wireName: isName ? name : name === undefined ? 'missing' : textOf(name) };
}

/** Known members by wire name: either read by other code, or a target name with a reader. */
type Members = Readonly<
  Record<string, 'elsewhere' | readonly [name: string, read: (value: unknown) => unknown]>
>;

type Extra = [string, string][];

type RecordMembers = Partial<Omit<RequestRecord, 'state' | 'extra'>>;
const RECORD_MEMBERS: Members = {
  network_id: 'elsewhere',
  sequence: 'elsewhere',
  created_at: 'elsewhere',
  state: 'elsewhere',
  chain_id: ['chainName', (value) => anyText(value) ?? integerText(value)],
  last_updated_at: ['updatedAt', wireTime],
  gas_limit: ['gasLimit', unsignedText],
  provider: ['provider', anyText],
  sender: ['sender', anyText],
  request_block_number: ['requestBlock', unsignedText],
  request_tx_hash: ['requestTxHash', anyText],
  user_random_number: ['userRandomNumber', anyText],
};

type StateMembers = { callbackFailed?: boolean; reason?: string; providerRandomNumber?: string | null };
const STATE_NAME: Members = { state: 'elsewhere' };
const FAILED_MEMBERS: Members = {
  ...STATE_NAME,
  reason: ['reason', anyText],
  // Null is meaningful here: the provider has not revealed its number.
  provider_random_number: ['providerRandomNumber', (value) => (value === null ? value : anyText(value))],
};
const COMPLETED_MEMBERS: Members = {
  ...STATE_NAME,
  callback_failed: ['callbackFailed', (value) => (typeof value === 'boolean' ? value : undefined)],
  reveal_tx_hash: ['revealTxHash', anyText],
  reveal_block_number: ['revealBlock', unsignedText],
  provider_random_number: ['providerRandomNumber', anyText],
  gas_used: ['gasUsed', unsignedText],
  combined_random_number: ['combinedRandomNumber', anyText],
  callback_return_value: ['callbackReturnValue', anyText],
  callback_gas_used: ['callbackGasUsed', unsignedText],
};

/** Reads the known members; null counts as absent. Unknown and unreadable members go to `extra` as JSON text. */
function readMembers<T extends object>(
  object: Record<string, unknown>,
  readers: Members,
  { textOf, extra, prefix }: { textOf: TextOf; extra: Extra; prefix: string },
): T {
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(object)) {
    const place = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (place === 'elsewhere') continue;
    const value = object[name];
    const read = place?.[1](value);
    if (place !== undefined && read !== undefined) members[place[0]] = read;
    else if (place === undefined || value !== null) extra.push([prefix + name, textOf(value)]);
  }
  return members as T;
}

function anyText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Longest integer read: a u256 has at most 78 digits, and BigInt takes a second for a million digits. */
const MAX_DIGITS = 78;

function boundedInteger(value: unknown): string | undefined {
  const text = integerText(value);
  return text !== undefined && text.length <= MAX_DIGITS ? text : undefined;
}

function unsignedText(value: unknown): string | undefined {
  const text = boundedInteger(value);
  return text?.startsWith('-') ? undefined : text;
}

function wireTime(value: unknown): WireTime | undefined {
  const ms = typeof value === 'string' ? parseIsoTime(value) : undefined;
  return ms === undefined ? undefined : { text: String(value), ms };
}

/** FNV-1a, 32 bits, so that an unreadable row has the same key in every answer. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
