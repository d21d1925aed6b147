import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { write, writeSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { relative } from 'node:path';
import pino, { type Logger } from 'pino';
import type { CallEvent } from '@/lib/upstream/call-record';
import { processWide } from './process-wide';
import type { Secret } from './secret';
import { type Access, currentSettings, type LogLevel } from './settings';

/** Writes a line: what it says, from the allow-list of fields, and a sentence of ours that holds no value. */
type Say = (fields: LogFields, message: string) => void;

/** The log, by how much a line matters. */
export type Log = Record<'debug' | 'info' | 'warn' | 'error', Say>;

const kept = processWide<Log>('log');

/** The log of this process: one JSON line per event on standard output. */
export function log(): Log {
  const made = kept.get() ?? createLog(currentSettings().logLevel, standardOutput());
  kept.set(made);
  return made;
}

/**
 * A log whose lines hold nothing but allowed fields (log-fields.ts), the id of the request that they are about, and printable
 * ASCII: whatever a stranger sends can neither end a line nor reach the terminal that shows it.
 */
export function createLog(level: LogLevel, destination: LineSink): Log {
  const formatters = { level: (label: string) => ({ level: label }) };
  const logger = pino(
    { level, base: { name: 'keeperscope' }, formatters, serializers: {} },
    { write: (line: string) => destination.write(printable(line)) },
  );
  return {
    debug: saying(logger, 'debug'),
    info: saying(logger, 'info'),
    warn: saying(logger, 'warn'),
    error: saying(logger, 'error'),
  };
}

function saying(logger: Logger, level: keyof Log): Say {
  return (fields, message) => {
    if (!logger.isLevelEnabled(level)) return;
    const requestId = fields.requestId ?? currentRequestId();
    logger[level](allowedFields({ ...fields, requestId }), clippedText(message));
  };
}

/** In JSON text every other character can only stand inside a string, where its escape means the same. */
const UNPRINTABLE = /[^\x20-\x7e\n]/g;

function printable(line: string): string {
  return line.replace(UNPRINTABLE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The name that callers, proxies and logs know a request by; sent back with every answer. */
export const REQUEST_ID_HEADER = 'x-request-id';

type RequestScope = { id: string; sinceMs: number };

/** No more than what UUIDs, trace ids and the usual proxies need: it goes into a header and a log as it is. */
const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/;

/** What still runs so long after a request began, such as a loop that it happened to start, is done for nobody in particular. */
const BELONGS_MS = 60_000;

const scopesKept = processWide<AsyncLocalStorage<RequestScope>>('request-scopes');

/**
 * Gives a request its id: its own where that is well-formed, else a fresh one. From here on the request says the same to
 * whoever looks at it, and its answer carries it, whoever writes that.
 */
export function identify(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers[REQUEST_ID_HEADER];
  const id = typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
  request.headers[REQUEST_ID_HEADER] = id;
  response.setHeader(REQUEST_ID_HEADER, id);
  return id;
}

/** What runs in `work`, and what follows from it, is done for this request. */
export function withinRequest<T>(id: string, work: () => T): T {
  const scopes = scopesKept.get() ?? new AsyncLocalStorage<RequestScope>();
  scopesKept.set(scopes);
  return scopes.run({ id, sinceMs: performance.now() }, work);
}

/** The id of the request that this is done for; undefined for what is done for nobody in particular. */
export function currentRequestId(): string | undefined {
  const scope = scopesKept.get()?.getStore();
  return scope && performance.now() - scope.sinceMs < BELONGS_MS ? scope.id : undefined;
}

/** A request that is over, answered or given up by its caller. Nothing in it tells who asked, or for what exactly. */
export type RequestEnd = {
  /** The caller's own, or ours. For logs only: no label of a metric. */
  requestId: string;
  /** A stream is over when somebody leaves, after hours perhaps. */
  kind: 'answer' | 'stream';
  method: string;
  /** The pattern of its path. */
  route: string;
  /** `aborted`: the caller left before the answer began. */
  status: number | 'aborted';
  /** From its arrival to the last byte of the answer. */
  ms: number;
  /** What was sent for it, head included. */
  bytes: number;
};

/** Files that are the same for everybody, dozens of them for each page. */
const STATIC = new Set(['/_next/static/{file}', '/icon.svg']);

/** Failures that the request itself is to blame for, not the service. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set(['bad-request', 'rejected', 'missing']);

/** One line for each request to us, written at its end; for a stream this is when somebody leaves. */
export function logRequest({ kind, ...about }: RequestEnd): void {
  log()[levelOfRequest(about)](about, kind === 'stream' ? 'stream' : 'request');
}

/** One line for each call to a service, written at the end of its answer; for a stream of a service, at its beginning. */
export function logCall({ label: service, called, ...about }: CallEvent): void {
  const { route, outcome, status, ms, bytes } = about;
  const sent = called ? undefined : 'no';
  log()[levelOfCall(outcome, called)]({ service, route, outcome, status, ms, bytes, sent }, 'service call');
}

function levelOfRequest({ route, status }: Pick<RequestEnd, 'route' | 'status'>): keyof Log {
  if (typeof status === 'number' && status >= 500) return 'warn';
  return typeof status === 'number' && status < 400 && STATIC.has(route) ? 'debug' : 'info';
}

function levelOfCall(outcome: CallEvent['outcome'], called: boolean): keyof Log {
  return outcome === 'ok' || !called || OF_THE_REQUEST.has(outcome) ? 'info' : 'warn';
}

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

/** Something thrown, as a line of the log has it. */
export type LoggedError = {
  name: string;
  message: string;
  /** Node's own, such as ECONNREFUSED. */
  code?: string;
  /** Where in our own files it was thrown, the nearest first: path below our folder, line and column. */
  at?: string[];
};

const LONGEST_MESSAGE = 300;
const MOST_PLACES = 5;
/** No line of a stack of ours is longer; the pattern would take long for one of megabytes. */
const LONGEST_LINE = 1000;
/** `(file:///…/chunk.js:1:23)`, `(/…/chunk.js:1:23)` or the same without brackets. */
const PLACE = /(?:file:\/\/)?(\/[^\s()]+):(\d+):(\d+)\)?$/;

/**
 * What may be said of something thrown: its name, the beginning of its message without a secret of ours in it, and where in
 * our own files it happened. Files of others and where ours lie on this machine are left out.
 */
export function loggedError(
  thrown: unknown,
  root: string = process.cwd(),
  secrets: () => readonly string[] = secretsInUse,
): LoggedError {
  if (!(thrown instanceof Error)) {
    return { name: typeof thrown, message: shown(typeof thrown === 'string' ? thrown : '', root, secrets()) };
  }
  const code = codeOf(thrown) ?? codeOf(thrown.cause);
  const at = placesOf(thrown, root);
  return {
    name: shown(String(thrown.name), root, []),
    message: shown(String(thrown.message), root, secrets()),
    ...(code === undefined ? {} : { code }),
    ...(at.length === 0 ? {} : { at }),
  };
}

function shown(text: string, root: string, secrets: readonly string[]): string {
  let rest = text;
  for (const secret of secrets) rest = rest.replaceAll(secret, '[secret]');
  rest = rest.replaceAll(`${root}/`, '');
  return rest.length <= LONGEST_MESSAGE ? rest : `${rest.slice(0, LONGEST_MESSAGE)}…`;
}

function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' && /^[A-Z0-9_]{1,60}$/.test(thrown.code) ? thrown.code : undefined;
}

/** A stack begins with the message, whose lines may look like places: it is passed over. */
function placesOf({ stack = '', message }: Error, root: string): string[] {
  const begin = stack.indexOf(message);
  if (begin < 0) return [];
  const places: string[] = [];
  for (const line of stack.slice(begin + message.length).split('\n')) {
    if (line.length > LONGEST_LINE) continue;
    const [, path, row, column] = PLACE.exec(line) ?? [];
    if (path === undefined || path.includes('/node_modules/')) continue;
    const below = relative(root, path);
    if (!below.startsWith('..')) places.push(`${below}:${row}:${column}`);
    if (places.length === MOST_PLACES) break;
  }
  return places;
}

/** Every secret that this process holds. Asked for where something failed, not for every line. */
function secretsInUse(): string[] {
  const { logs, updates, upgraded, router, access, metricsToken } = currentSettings();
  const keys = [...logs, updates, upgraded, router].map((service) => service?.apiKey);
  return [...keys, metricsToken, ...secretsOfAccess(access)].flatMap((secret) => secret?.() ?? []);
}

function secretsOfAccess(access: Access): Secret[] {
  switch (access.kind) {
    case 'password':
      return [access.password, access.sessionSecret];
    case 'proxy':
      return [access.secret];
    default:
      return [];
  }
}

/** Takes whole lines of printable ASCII, so that a character is a byte. */
export type LineSink = { write(line: string): void };

/** What it touches outside. `write` and `writeNow` say how many bytes were taken; both may fail with EAGAIN: full. */
export type OutputEdges = {
  write(text: string, done: (error: NodeJS.ErrnoException | null, bytes: number) => void): void;
  writeNow(text: string): number;
  after(ms: number, run: () => void): void;
  /** In ms. */
  now(): number;
  /** With everything standing still. */
  sleep(ms: number): void;
  /** At the very end; what still waits for a thread then would wait for ever. */
  giveUp(): void;
};

/** What waits for a reader that has stopped reading. Lines beyond it are dropped: we are not stopped. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/** Lines go out together, which costs a fraction: so many bytes of them, or what there is after so many milliseconds. */
const TOGETHER_BYTES = 16 * 1024;
const TOGETHER_MS = 100;
/** A reader that has taken nothing for so long takes nothing more. */
const STOPPED_MS = 2000;
/** How long the end of the process waits for a reader that is full, and how often it looks. */
const LAST_LINES_MS = 1000;
const LOOK_AGAIN_MS = 20;

/**
 * Lines on their way to a reader, for whom nothing waits: not the requests, and not the end of the process, at which what is
 * left is still written. A reader that is gone, or a full disk, ends the log and nothing else. Pino's own destination would
 * try for ever at the end, whatever the error.
 */
export class LineOutput implements LineSink {
  readonly #edges: OutputEdges;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #underWay = '';
  #takenAtMs = 0;
  /** `writing`: a thread is at it. `full`: it could not, and will try again. */
  #state: 'idle' | 'due' | 'writing' | 'full' | 'gone' = 'idle';

  constructor(edges: OutputEdges) {
    this.#edges = edges;
  }

  write(line: string): void {
    if (this.#state === 'gone' || this.#waitingBytes + line.length > MOST_WAITING_BYTES) return;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#state === 'writing' || this.#state === 'full') return;
    if (this.#waitingBytes >= TOGETHER_BYTES) this.#begin();
    else if (this.#state === 'idle') {
      this.#state = 'due';
      this.#edges.after(TOGETHER_MS, () => this.#state === 'due' && this.#begin());
    }
  }

  /** Writes what is left, with everything standing still, and comes back within a second. For the end of the process. */
  end(): void {
    if (this.#state === 'gone') return;
    const beganMs = this.#edges.now();
    if (this.#state === 'writing' && beganMs - this.#takenAtMs > STOPPED_MS) this.#edges.giveUp();
    // What a thread has in its hands is its own to finish.
    const again = this.#state === 'full' ? this.#underWay : '';
    let rest = again + this.#waiting.join('');
    while (rest !== '' && this.#edges.now() - beganMs < LAST_LINES_MS) {
      try {
        rest = rest.slice(this.#edges.writeNow(rest));
      } catch (error) {
        if (!isFull(error)) return;
        this.#edges.sleep(LOOK_AGAIN_MS);
      }
    }
  }

  #begin(): void {
    this.#takenAtMs = this.#edges.now();
    this.#underWay = this.#waiting.join('');
    this.#waiting = [];
    this.#waitingBytes = this.#underWay.length;
    this.#continue();
  }

  #continue(): void {
    this.#state = 'writing';
    this.#edges.write(this.#underWay, (error, bytes) => {
      if (error && isFull(error)) this.#tryLater();
      else if (error) this.#leave();
      else this.#took(bytes);
    });
  }

  #tryLater(): void {
    this.#state = 'full';
    this.#edges.after(TOGETHER_MS, () => this.#continue());
  }

  #took(bytes: number): void {
    this.#takenAtMs = this.#edges.now();
    this.#underWay = this.#underWay.slice(bytes);
    this.#waitingBytes -= bytes;
    if (this.#underWay !== '') this.#continue();
    else if (this.#waiting.length > 0) this.#begin();
    else this.#state = 'idle';
  }

  #leave(): void {
    this.#state = 'gone';
    this.#waiting = [];
    this.#underWay = '';
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}

const STANDARD_OUTPUT = 1;

/** The log's way out of this process. */
export function standardOutput(): LineSink {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  const output = new LineOutput({
    write: (text, done) => write(STANDARD_OUTPUT, text, null, 'latin1', done),
    writeNow: (text) => writeSync(STANDARD_OUTPUT, text, null, 'latin1'),
    after: (ms, run) => void setTimeout(run, ms).unref(),
    now: () => performance.now(),
    sleep: (ms) => void Atomics.wait(nothing, 0, 0, ms),
    giveUp: () => void process.kill(process.pid, 'SIGKILL'),
  });
  process.once('exit', () => output.end());
  return output;
}
