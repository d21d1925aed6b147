import 'server-only';
import { loggedError } from './logged-error';

/** All that a line of the log may say besides its message. Nothing else gets into one, whoever hands it over. */
export type LogFields = {
  /** The request that it is about; that of the present one where it is left out. */
  requestId?: string;
  method?: string;
  /** The pattern of a path: never a path, and never a query. */
  route?: string;
  status?: number | 'aborted';
  ms?: number;
  bytes?: number;
  /** `logs:main`, `updates`, … */
  service?: string;
  /** `ok` or a kind of failure. */
  outcome?: string;
  /** `no`: a call that ended here. */
  sent?: 'yes' | 'no';
  /** A kind of failure. */
  kind?: string;
  stream?: string;
  /** Why a stream ended. */
  reason?: string;
  signal?: string;
  written?: number;
  expected?: number;
  complete?: boolean;
  /** Symbols that no directory knows. */
  unknown?: readonly string[];
  /** Anything thrown. */
  error?: unknown;
};

type Value = string | number | boolean | readonly string[] | Readonly<Record<string, unknown>>;
type Reader = (value: unknown) => Value | undefined;

const LONGEST_WORD = 200;
const MOST_WORDS = 20;

const word: Reader = (value) => (typeof value === 'string' ? clippedText(value) : undefined);
const number: Reader = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? Math.round(value * 10) / 10 : undefined;
const flag: Reader = (value) => (typeof value === 'boolean' ? value : undefined);
const words: Reader = (value) =>
  Array.isArray(value)
    ? value
        .slice(0, MOST_WORDS)
        .filter((one) => typeof one === 'string')
        .map((one) => clippedText(one))
    : undefined;

/** The allow-list. The compiler holds it to the type above. */
const READERS: Readonly<Record<keyof LogFields, Reader>> = {
  requestId: word,
  method: word,
  route: word,
  status: (value) => number(value) ?? word(value),
  ms: number,
  bytes: number,
  service: word,
  outcome: word,
  sent: word,
  kind: word,
  stream: word,
  reason: word,
  signal: word,
  written: number,
  expected: number,
  complete: flag,
  unknown: words,
  error: loggedError,
};

/** What of these fields may stand in a line, in its form: texts of at most 200 characters, finite numbers. */
export function allowedFields(fields: LogFields): Record<string, Value> {
  const allowed: Record<string, Value> = {};
  for (const name of Object.keys(fields)) {
    if (!Object.hasOwn(READERS, name)) continue;
    const value = READERS[name as keyof LogFields](fields[name as keyof LogFields]);
    if (value !== undefined) allowed[name] = value;
  }
  return allowed;
}

/** The beginning of a text, and that it is no more than that. */
export function clippedText(text: string, longest: number = LONGEST_WORD): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
