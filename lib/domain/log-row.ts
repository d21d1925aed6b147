import type { RequestRecord, RequestState, UnreadableRow, WireTime } from './request-record';
import { parseIsoTime } from './units';
import { integerText, isWireObject, member, type WireDocument } from './wire-json';

type Identity =
  | { readable: true; row: Record<string, unknown>; networkId: string; sequence: string; createdAt: WireTime }
  | { readable: false; problem: string };

/** The three things without which a row is not a request, or the first of them that is wrong. */
export function rowIdentity(row: unknown): Identity {
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

/** One row of a wire document; its key is not yet unique on the page. */
export function readRow(row: unknown, textOf: TextOf): RequestRecord | UnreadableRow {
  const identity = rowIdentity(row);
  const rawJson = textOf(row);
  if (!identity.readable) {
    return {
      kind: 'unreadable',
      key: `unreadable/${fingerprint(rawJson)}`,
      rawJson,
      problem: identity.problem,
    };
  }
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
  const chainName = members.take('chain_id', nameText) ?? '';
  const { state, extra } = readState(member(identity.row, 'state'), textOf);
  const provider = optional.provider?.toLowerCase() ?? '';
  const requestTxHash = optional.requestTxHash?.toLowerCase() ?? '';
  return {
    kind: 'record',
    key: `${networkId}/${provider}/${sequence}/${requestTxHash}`,
    chainName,
    networkId,
    sequence,
    createdAt,
    ...present(optional),
    state,
    extra: Object.fromEntries([...members.rest(), ...extra]),
    rawJson,
  };
}

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
  const read = new Set(handled);
  const takeNullable = <T>(name: string, reader: Reader<T>): T | null | undefined => {
    const value = member(object, name);
    const result = value === undefined || value === null ? value : reader(value);
    if (value === undefined || result !== undefined) read.add(name);
    return result;
  };
  return {
    takeNullable,
    take: (name, reader) => takeNullable(name, reader) ?? undefined,
    rest: () =>
      Object.keys(object)
        .filter((name) => !read.has(name))
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
