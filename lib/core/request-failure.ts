import { withoutParticulars } from './particulars';
import type { RequestRecord } from './request-record';

/** Texts may come from untrusted contracts. */
type DecodedFailure = {
  /** `0x` and eight hex digits, lower case. */
  selector?: string;
  /** Name of the Solidity error, such as `InsufficientGas`. */
  name?: string;
  meaning?: string;
  /** One line: the contract's own text, else the error's name, else the service's text. */
  text: string;
  /** The text of the service; empty if it wrote none. */
  raw: string;
};

/** Names no cause: gas ran out, `revert()` was called, or the called contract or function does not exist. */
export const NO_RETURN_DATA = 'Reverted without data';
export const NO_RETURN_VALUE = 'Callback reverted, no return value logged';
const NO_REASON = 'No reason logged';

type Decoded = Omit<DecodedFailure, 'raw'>;

/** Length and end are checked in code, because matching them here would need a deep stack. */
const EMBEDDED_WORD = /(?<![0-9a-zA-Z])0x[0-9a-zA-Z]*/g;
const SELECTOR_DIGITS = 8;

/** Undefined if neither the request nor its callback failed. */
export function decodeFailure(record: Pick<RequestRecord, 'state'>): DecodedFailure | undefined {
  const { state } = record;
  if (state.kind === 'failed') return decodeReason(state.reason);
  if (state.kind !== 'completed' || state.callback !== 'failed') return undefined;
  return decodeReturnValue(state.callbackReturnValue);
}

function decodeReturnValue(value: string | undefined): DecodedFailure {
  if (value === undefined) return { text: NO_RETURN_VALUE, raw: '' };
  const digits = /^(?:0x)?([0-9a-f]*)$/i.exec(value.trim())?.[1];
  return { ...(digits === undefined ? { text: value } : decodeReturnData(digits)), raw: value };
}

/** A stranger may have chosen the text of a contract's revert. */
export function isContractRevert(reason = ''): boolean {
  return /^\s*(?:reverted:|0x[0-9a-f]*\s*$)/i.test(reason) || PRINTED_REVERT.test(reason);
}

/** Written by the versions of the keeper that do not name their reasons. */
const PRINTED_REVERT = /\bRevert\(Bytes\(0x([0-9a-f]*)\)\)/i;

/** A keeper with `RUST_BACKTRACE` prints a backtrace after an error. */
function withoutBacktrace(text: string): string {
  const end = text.indexOf('\nStack backtrace:');
  return end < 0 ? text : text.slice(0, end).trimEnd();
}

function decodeReason(reason = ''): DecodedFailure {
  if (reason.trim() === '') return { text: NO_REASON, raw: reason };
  const printed = PRINTED_REVERT.exec(reason)?.[1];
  if (printed !== undefined) return { ...decodeReturnData(printed), raw: reason };
  const [, prefix, message = ''] = /^\s*(reverted:?\s+)?([\s\S]*)$/i.exec(withoutBacktrace(reason)) ?? [];
  const whole = /^0x([0-9a-f]*)$/i.exec(message.trim())?.[1];
  if (whole !== undefined) return { ...decodeReturnData(whole), raw: reason };
  const embedded = embeddedData(message, prefix !== undefined);
  // The words around an embedded selector say more than the error's name.
  const decoded = embedded === undefined ? undefined : decodeReturnData(embedded);
  return { ...decoded, text: message, raw: reason };
}

/** Hex digits of a known selector in a text, or, after `Reverted: `, any hex of a selector's length. */
function embeddedData(text: string, isRevert: boolean): string | undefined {
  const words = [...text.matchAll(EMBEDDED_WORD)]
    .map(([word]) => word.slice(2))
    .filter((digits) => digits.length >= SELECTOR_DIGITS && /^[0-9a-f]+$/i.test(digits));
  return (
    words.find((digits) => errorOfSelector(selectorOf(digits)) !== undefined) ??
    (isRevert ? words.find((digits) => digits.length === 8) : undefined)
  );
}

const selectorOf = (digits: string) => `0x${digits.slice(0, 8).toLowerCase()}`;

function decodeReturnData(digits: string): Decoded {
  if (digits === '') return { text: NO_RETURN_DATA };
  if (digits.length < SELECTOR_DIGITS) return { text: `0x${digits}` };
  const selector = selectorOf(digits);
  const args = digits.slice(SELECTOR_DIGITS);
  const error = errorOfSelector(selector);
  if (selector === ERROR_STRING) {
    const text = decodeAbiString(args) ?? 'Error(string), its text cut off';
    return { selector, ...error, text: text || 'Error(string) with an empty text' };
  }
  if (selector === PANIC) return { selector, ...error, ...panicOf(args) };
  return { selector, ...error, text: error?.name ?? `0x${digits}` };
}

function panicOf(args: string): Partial<Decoded> & { text: string } {
  const code = abiNumber(args, 0);
  if (code === undefined) return { text: 'Panic, its code cut off' };
  const hex = `0x${code.toString(16).padStart(2, '0')}`;
  const meaning = PANICS[hex];
  if (meaning === undefined) return { meaning: 'Not in the Solidity documentation.', text: `Panic ${hex}` };
  return {
    meaning: `${meaning}.`,
    text: `Panic ${hex}: ${meaning.replace(/^[A-Z]/, (c) => c.toLowerCase())}`,
  };
}

/** The errors that Solidity itself raises. Both carry arguments. */
const ERROR_STRING = '0x08c379a0';
const PANIC = '0x4e487b71';

/** Solidity name and meaning of the errors of the randomness contract and of the language, by selector in lower case. */
const ERRORS: Readonly<Record<string, readonly [name: string, meaning: string]>> = {
  '0x1c26714c': ['InsufficientGas', 'Not enough gas to run the callback with the wanted amount.'],
  '0x3e515085': ['OutOfRandomness', 'The provider has used up its committed chain.'],
  '0x5e5b3f1b': ['UpdateTooOld', 'A newer commitment is already revealed.'],
  '0x50f0dc92': ['InvalidRevealCall', 'The reveal function does not match the request function.'],
  '0x82b42900': ['Unauthorized', 'The sender may not make this call.'],
  '0x025dbdd4': ['InsufficientFee', 'The fee is too low.'],
  '0x9376b93b': ['MaxGasLimitExceeded', 'The gas limit is above 655,350,000.'],
  '0x92555c0e': ['BlockhashUnavailable', 'The block hash is 0.'],
  '0xb8be1a8d': ['IncorrectRevelation', 'The revealed value does not match its commitment.'],
  '0xb28d9c76': ['LastRevealedTooOld', 'Too many hashes since the last reveal.'],
  '0xc4237352': ['NoSuchRequest', 'There is no such request on chain.'],
  '0xd82dd966': ['AssertionFailure', 'An invariant of the contract is broken.'],
  '0xdf51c431': ['NoSuchProvider', 'The provider is not registered.'],
  [ERROR_STRING]: ['Error(string)', 'A require in the contract failed with this text.'],
  [PANIC]: ['Panic(uint256)', 'A built-in Solidity check failed.'],
};

function errorOfSelector(selector: string): { name: string; meaning: string } | undefined {
  const [name, meaning] = ERRORS[selector] ?? [];
  return name === undefined || meaning === undefined ? undefined : { name, meaning };
}

/** Panic codes from the Solidity documentation, "Panic via assert and Error via require". */
const PANICS: Readonly<Record<string, string>> = {
  '0x00': 'A panic that the compiler inserted',
  '0x01': 'An assert was false',
  '0x11': 'Arithmetic overflow or underflow',
  '0x12': 'Division or modulo by zero',
  '0x21': 'A value too large or negative was converted to an enum',
  '0x22': 'A byte array in storage is wrongly encoded',
  '0x31': 'pop() on an empty array',
  '0x32': 'An index is out of bounds',
  '0x41': 'Too much memory was allocated, or an array is too large',
  '0x51': 'A function variable that was never set was called',
};

const WORD_DIGITS = 64;

/** Services send at most 256 bytes. */
const MAX_DECODED_BYTES = 4096;

/** Reads the ABI word that starts at this digit; undefined if the data ends within it. */
function abiNumber(digits: string, at: number): bigint | undefined {
  const word = digits.slice(at, at + WORD_DIGITS);
  return /^[0-9a-fA-F]{64}$/.test(word) ? BigInt(`0x${word}`) : undefined;
}

/**
 * Decodes a `string` that is the only argument: offset, length, UTF-8 bytes. Invalid UTF-8 becomes U+FFFD. Undefined if
 * the data ends before the text begins; an ellipsis if it ends within the text.
 * @param digits hex digits after the selector, without `0x`
 */
function decodeAbiString(digits: string): string | undefined {
  const offset = abiNumber(digits, 0);
  if (offset === undefined || offset > BigInt(digits.length)) return undefined;
  const lengthAt = Number(offset) * 2;
  const length = abiNumber(digits, lengthAt);
  if (length === undefined) return undefined;
  const start = lengthAt + WORD_DIGITS;
  const available = Math.min(Math.floor((digits.length - start) / 2), MAX_DECODED_BYTES);
  const isTruncated = BigInt(available) < length;
  const bytes = Uint8Array.from({ length: isTruncated ? available : Number(length) }, (_, index) =>
    Number.parseInt(digits.slice(start + 2 * index, start + 2 * index + 2), 16),
  );
  // In stream mode the decoder leaves out an incomplete last character.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isTruncated });
  return isTruncated ? `${text}…` : text;
}

/** The text without hashes, addresses and numbers, or the selector. Undefined if nothing failed. */
export function failureGroup(record: Pick<RequestRecord, 'state'>): string | undefined {
  const failure = decodeFailure(record);
  if (failure === undefined) return undefined;
  const { text } = failure;
  if (/^0x[0-9a-f]{8,}$/i.test(text)) return selectorOf(text.slice(2));
  return withoutParticulars(text);
}
