import { abiNumber, decodeAbiString } from './abi-text';
import { ERROR_STRING, knownError, PANIC, panicMeaning } from './error-selectors';
import type { RequestRecord } from './request-record';

/** Why a request or its callback failed, as far as its record tells. Texts may come from strangers' contracts. */
export type DecodedFailure = {
  /** `0x` and eight hex digits, lower case. */
  selector?: string;
  /** Of the error in Solidity: `InsufficientGas`. */
  name?: string;
  /** A sentence about the error, ours. */
  meaning?: string;
  /** The failure in one line: the contract's own text, else the error's name, else what the service wrote. */
  text: string;
  /** The reason or the return value, as the service wrote it; empty when it wrote none. */
  raw: string;
};

type Decoded = Omit<DecodedFailure, 'raw'>;

const NO_DATA: Decoded = { text: 'No return data: often out of gas' };

/** A word that begins like `0x1c26714c…`. What is asked of its end is asked afterwards: here it would need a stack. */
const EMBEDDED_WORD = /(?<![0-9a-zA-Z])0x[0-9a-zA-Z]*/g;
/** A selector has so many digits at least. */
const SELECTOR_DIGITS = 8;

/**
 * The failure of a record: of the request itself (`reason`), or of its callback (what it returned).
 * @returns undefined for requests that did not fail, as far as the service says
 */
export function decodeFailure(record: Pick<RequestRecord, 'state'>): DecodedFailure | undefined {
  const { state } = record;
  if (state.kind === 'failed') return ofReason(state.reason);
  if (state.kind !== 'completed' || state.callback !== 'failed') return undefined;
  return ofReturnValue(state.callbackReturnValue);
}

function ofReturnValue(value: string | undefined): DecodedFailure {
  if (value === undefined) {
    return { text: 'The callback failed; the service does not say what it returned', raw: '' };
  }
  const digits = /^(?:0x)?([0-9a-f]*)$/i.exec(value.trim())?.[1];
  return { ...(digits === undefined ? { text: value } : decodeReturnData(digits)), raw: value };
}

function ofReason(reason: string | undefined): DecodedFailure {
  if (reason === undefined || reason.trim() === '') {
    return { text: 'The service gives no reason', raw: reason ?? '' };
  }
  const [, prefix, said = ''] = /^\s*(reverted:?\s+)?([\s\S]*)$/i.exec(reason) ?? [];
  const whole = /^0x([0-9a-f]*)$/i.exec(said.trim())?.[1];
  if (whole !== undefined) return { ...decodeReturnData(whole), raw: reason };
  const embedded = embeddedData(said, prefix !== undefined);
  // The words around an embedded selector say more than its name alone, so they stay the text.
  const decoded = embedded === undefined ? undefined : decodeReturnData(embedded);
  return { ...decoded, text: said, raw: reason };
}

/** Hex within words that is an error: one that is known, or after `Reverted: ` any that is as long as a selector. */
function embeddedData(text: string, isRevert: boolean): string | undefined {
  const found = [...text.matchAll(EMBEDDED_WORD)]
    .map(([word]) => word.slice(2))
    .filter((digits) => digits.length >= SELECTOR_DIGITS && /^[0-9a-f]+$/i.test(digits));
  return (
    found.find((digits) => knownError(selectorOf(digits)) !== undefined) ??
    (isRevert ? found.find((digits) => digits.length === 8) : undefined)
  );
}

function selectorOf(digits: string): string {
  return `0x${digits.slice(0, 8).toLowerCase()}`;
}

function decodeReturnData(digits: string): Decoded {
  if (digits === '') return NO_DATA;
  // Less than a selector: shown as it is.
  if (digits.length < 8) return { text: `0x${digits}` };
  const selector = selectorOf(digits);
  const args = digits.slice(8);
  if (selector === ERROR_STRING) return { selector, ...knownError(selector), text: errorText(args) };
  if (selector === PANIC) return { selector, ...panicOf(args) };
  const known = knownError(selector);
  return known === undefined ? { selector, text: `0x${digits}` } : { selector, ...known, text: known.name };
}

function errorText(args: string): string {
  const decoded = decodeAbiString(args);
  if (decoded === undefined) return 'Error(string), its text cut off';
  if (decoded.extent === 'part') return `${decoded.text}…`;
  return decoded.text === '' ? 'Error(string) with an empty text' : decoded.text;
}

function panicOf(args: string): Omit<Decoded, 'selector'> {
  const name = 'Panic(uint256)';
  const code = abiNumber(args, 0);
  if (code === undefined)
    return { name, meaning: knownError(PANIC)?.meaning, text: 'Panic, its code cut off' };
  const shown = `Panic 0x${code.toString(16).padStart(2, '0')}`;
  const meaning = panicMeaning(code);
  return meaning === undefined
    ? { name, meaning: 'A panic code that the Solidity documentation does not name.', text: shown }
    : {
        name,
        meaning,
        text: `${shown}: ${meaning.replace(/\.$/, '').replace(/^./, (c) => c.toLowerCase())}`,
      };
}
