import { failed, type Outcome, ok } from './outcome';
import { formatIsoMillis, parseIsoTime } from './time';
import { integerText, isWireObject, member, readWireDocument, type WireDocument } from './wire-json';

/** Figures are text with all digits. A state with an unexpected name is `unknown`, never `pending`. */
export type RequestState =
  | { kind: 'pending' }
  | {
      kind: 'completed';
      /** `unknown` if the service does not report it. */
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

/** `text` is as the service wrote it: up to nanoseconds, perhaps without a zone. `ms` is unix ms. */
export type WireTime = { text: string; ms: number };

/** Block times by the chain: unix ms, in whole seconds. */
export type BlockTimes = { requestedMs: number; answeredMs: number };

export type RequestRecord = {
  kind: 'record';
  /** Network, provider, sequence and request transaction, because the sequence alone is not unique. */
  key: string;
  /** The keeper's `chain_id`; empty if it writes none. */
  chainName: string;
  networkId: string;
  sequence: string;
  createdAt: WireTime;
  updatedAt?: WireTime;
  /**
   * Time when it was first seen finished, if the service has since given the row a later date. Not a member of the wire
   * row.
   */
  firstFinishedAt?: WireTime;
  gasLimit?: string;
  provider?: string;
  sender?: string;
  requestBlock?: string;
  requestTxHash?: string;
  state: RequestState;
  userRandomNumber?: string;
  /** Unknown or unreadable members as JSON; those of `state` as `state.<name>`. */
  extra: Record<string, string>;
  /** JSON of the service, with every digit. */
  rawJson: string;
};

/** A row without a readable network, sequence or creation time. Shown with its JSON, not dropped. */
export type UnreadableRow = { kind: 'unreadable'; key: string; rawJson: string; problem: string };

export type LogRow = RequestRecord | UnreadableRow;

/** A state in the words of the URL and the filters. */
export type StateWord = 'pending' | 'completed' | 'callback-failed' | 'failed';

/** Values of the service's query parameter `state`, which differ from the names in its records. */
export const WIRE_STATE: Record<StateWord, string> = {
  pending: 'Pending',
  completed: 'Completed',
  'callback-failed': 'CallbackErrored',
  failed: 'Failed',
};

export function isStateWord(text: string): text is StateWord {
  return Object.hasOwn(WIRE_STATE, text);
}

/** The word of a state; of an unknown one its wire name, in quotes if it is spelled like one of our words. */
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

/** Any callback outcome counts. An unknown state is neither finished nor pending. */
export function isFinished({ state }: Pick<RequestRecord, 'state'>): boolean {
  return state.kind === 'completed' || state.kind === 'failed';
}

/**
 * The `duration` of a finished request, undefined if the service names no time; else the `age`. A negative value
 * becomes 0, because the service's clock may be ahead of ours.
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

/** @param finishedUs unix microseconds; null or undefined if the last update is the first finish */
export function withFirstFinish<T extends LogRow>(row: T, finishedUs: number | null | undefined): T {
  if (row.kind === 'unreadable' || typeof finishedUs !== 'number') return row;
  return { ...row, firstFinishedAt: { ms: Math.floor(finishedUs / 1000), text: isoOfMicros(finishedUs) } };
}

/** ISO time with as many decimals as needed. */
export function isoOfMicros(us: number): string {
  const ms = Math.floor(us / 1000);
  const micros = us - ms * 1000;
  return formatIsoMillis(ms).replace('Z', micros === 0 ? 'Z' : `${String(micros).padStart(3, '0')}Z`);
}

/** Accepts rows of JSON.parse and of `readWireDocument`. */
export const isReadableRow = (row: unknown) => typeof rowIdentity(row) !== 'string';

/** A page in the order of the service, usually newest first. Rows are read one at a time. */
export type OpenedLogPage = {
  requests: readonly unknown[];
  row(index: number): LogRow;
  /** Digits of `total_results`, not checked against the rows; undefined if unreadable or beyond u64. */
  total: string | undefined;
};

export type LogPage = { rows: LogRow[]; total: OpenedLogPage['total'] };

/** `malformed` if the text is not JSON or has no list `requests`. */
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

/** @param text a row of the index: JSON without whitespace, so it is the record's `rawJson` */
export function readRowText(text: string): LogRow {
  const document = readWireDocument(text);
  if (document === undefined) return unreadableRow(text, 'The row is not JSON.');
  const { value, textOf } = document;
  return readRow(value, (part) => (part === value ? text : textOf(part)));
}

const malformed = (detail: string) => failed({ kind: 'malformed', service: 'logs', detail });

/** A message if one of the three members cannot be read. */
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
  // JSON makes a blank or odd name visible.
  const isName = typeof name === 'string' && name.trim() !== '';
  return { kind: 'unknown', wireName: isName ? name : name === undefined ? 'missing' : textOf(name) };
}

/** Members by wire name: read `elsewhere`, or a target name with a reader. */
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
  // Null means that the provider has not revealed its number.
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

/** Null counts as absent. Unknown and unreadable members go to `extra` as JSON. */
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

/** A u256 has at most 78 digits, and BigInt takes a second for a million digits. */
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

/** FNV-1a, 32 bits: an unreadable row has the same key in every answer. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
