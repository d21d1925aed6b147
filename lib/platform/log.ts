import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { relative } from 'node:path';
import pino from 'pino';
import type { CallEvent } from '@/lib/core/call-event';
import { processWide } from './process-wide';
import { currentSettings, type LogLevel } from './settings';

type Say = (fields: LogFields, message: string) => void;

export type Log = Record<'debug' | 'info' | 'warn' | 'error', Say>;

const kept = processWide<Log>('log');

/** The log of this process: one JSON line per event on standard output. */
export function log(): Log {
  return kept.ensure(() => createLog(currentSettings().logLevel, standardOutput()));
}

/** Lines hold allowed fields, a request id, printable ASCII: a stranger can neither end one nor reach a terminal. */
export function createLog(level: LogLevel, destination: { write(line: string): void }): Log {
  const formatters = { level: (label: string) => ({ level: label }) };
  const logger = pino(
    { level, base: { name: 'keeperscope' }, formatters, serializers: {} },
    { write: (line: string) => destination.write(printable(line)) },
  );
  const saying =
    (at: keyof Log): Say =>
    (fields, message) => {
      if (!logger.isLevelEnabled(at)) return;
      const requestId = fields.requestId ?? currentRequestId();
      logger[at](allowedFields({ ...fields, requestId }), clippedText(message));
    };
  return { debug: saying('debug'), info: saying('info'), warn: saying('warn'), error: saying('error') };
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
const MAX_SCOPE_AGE_MS = 60_000;

const scopesKept = processWide<AsyncLocalStorage<RequestScope>>('request-scopes');

/** Gives a request its id, its own where that is well-formed; the answer carries it, whoever writes that. */
export function identify(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers[REQUEST_ID_HEADER];
  const id = typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
  request.headers[REQUEST_ID_HEADER] = id;
  response.setHeader(REQUEST_ID_HEADER, id);
  return id;
}

export function withinRequest<T>(id: string, work: () => T): T {
  const scopes = scopesKept.ensure(() => new AsyncLocalStorage<RequestScope>());
  return scopes.run({ id, sinceMs: performance.now() }, work);
}

export function currentRequestId(): string | undefined {
  const scope = scopesKept.get()?.getStore();
  return scope && performance.now() - scope.sinceMs < MAX_SCOPE_AGE_MS ? scope.id : undefined;
}

/** A request that is over, answered or given up by its caller. Nothing in it tells who asked, or for what exactly. */
export type RequestEnd = {
  requestId: string;
  kind: 'answer' | 'stream';
  method: string;
  route: string;
  /** `aborted`: the caller left before the answer began. */
  status: number | 'aborted';
  ms: number;
  bytes: number;
};

const STATIC = new Set(['/_next/static/{file}', '/icon.svg']);
/** Failures that the request itself is to blame for, not the service. */
const CALLER_ERRORS: ReadonlySet<string> = new Set(['bad-request', 'rejected', 'missing']);

/** One line for each request to us, written at its end; for a stream this is when somebody leaves. */
export function logRequest({ kind, ...about }: RequestEnd): void {
  const { route, status } = about;
  const isPlain = typeof status === 'number' && status < 400 && STATIC.has(route);
  const level = typeof status === 'number' && status >= 500 ? 'warn' : isPlain ? 'debug' : 'info';
  log()[level](about, kind === 'stream' ? 'stream' : 'request');
}

/** One line for each call to a service, written at the end of its answer; for a stream of a service, at its beginning. */
export function logCall({ label: service, called, ...about }: CallEvent): void {
  const { route, outcome, status, ms, bytes } = about;
  const isExpected = outcome === 'ok' || !called || CALLER_ERRORS.has(outcome);
  const sent = called ? undefined : 'no';
  log()[isExpected ? 'info' : 'warn']({ service, route, outcome, status, ms, bytes, sent }, 'service call');
}

/** All that a line of the log may say besides its message. Nothing else gets into one, whoever hands it over. */
const FIELDS = [
  // The request that it is about (that of the present one where it is left out); `route`: the pattern of a path, never a path.
  ...(['requestId', 'method', 'route', 'status', 'ms', 'bytes'] as const),
  // A call: `logs:main`; `ok` or a kind of failure; `no` for a call that ended here.
  ...(['service', 'outcome', 'sent', 'kind'] as const),
  // Why a stream ended, what ends the process, how far an export came, symbols that no directory knows.
  ...(['stream', 'reason', 'signal', 'written', 'expected', 'complete', 'unknown'] as const),
];
type Value = string | number | boolean | readonly string[];
export type LogFields = Partial<Record<(typeof FIELDS)[number], Value>> & { error?: unknown };

const MAX_TEXT_LENGTH = 200;
const MAX_LIST_ITEMS = 20;

/** What of these fields may stand in a line, in its form: texts of at most 200 characters, finite numbers. */
function allowedFields(fields: LogFields): Record<string, unknown> {
  const given = FIELDS.filter((name) => Object.hasOwn(fields, name));
  return {
    ...Object.fromEntries(given.map((name) => [name, allowedValue(fields[name])])),
    ...(fields.error === undefined ? {} : { error: loggedError(fields.error) }),
  };
}

function allowedValue(value: unknown): Value | undefined {
  if (Array.isArray(value))
    return value.slice(0, MAX_LIST_ITEMS).flatMap((one) => (typeof one === 'string' ? clippedText(one) : []));
  if (typeof value === 'string') return clippedText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? Math.round(value * 10) / 10 : undefined;
  return typeof value === 'boolean' ? value : undefined;
}

function clippedText(text: string, maxLength: number = MAX_TEXT_LENGTH): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}

const MAX_MESSAGE_LENGTH = 300;
const MAX_STACK_FRAMES = 5;
/** No line of a stack of ours is longer; the pattern would take long for one of megabytes. */
const MAX_STACK_LINE_LENGTH = 1000;
/** `(file:///…/chunk.js:1:23)`, `(/…/chunk.js:1:23)` or the same without brackets. */
const STACK_FRAME = /(?:file:\/\/)?(\/[^\s()]+):(\d+):(\d+)\)?$/;

/** What may be said of something thrown: name, the message without our secrets, and where in our own files. */
export function loggedError(
  thrown: unknown,
  root: string = process.cwd(),
  secrets: () => readonly string[] = secretsInUse,
): { name: string; message: string; code?: string; at?: string[] } {
  if (!(thrown instanceof Error))
    return { name: typeof thrown, message: shown(typeof thrown === 'string' ? thrown : '', root, secrets()) };
  const at = framesOf(thrown, root);
  return {
    name: shown(String(thrown.name), root, []),
    message: shown(String(thrown.message), root, secrets()),
    code: codeOf(thrown) ?? codeOf(thrown.cause),
    ...(at.length === 0 ? {} : { at }),
  };
}

function shown(text: string, root: string, secrets: readonly string[]): string {
  const rest = secrets.reduce((said, secret) => said.replaceAll(secret, '[secret]'), text);
  return clippedText(rest.replaceAll(`${root}/`, ''), MAX_MESSAGE_LENGTH);
}

function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' && /^[A-Z0-9_]{1,60}$/.test(thrown.code) ? thrown.code : undefined;
}

/** A stack begins with the message, whose lines may look like places: it is passed over. */
function framesOf({ stack = '', message }: Error, root: string): string[] {
  const begin = stack.indexOf(message);
  const lines = begin < 0 ? [] : stack.slice(begin + message.length).split('\n');
  const frames = lines
    .filter((line) => line.length <= MAX_STACK_LINE_LENGTH)
    .flatMap((line) => {
      const [, path = '', row, column] = STACK_FRAME.exec(line) ?? [];
      const below = relative(root, path);
      return path === '' || path.includes('/node_modules/') || below.startsWith('..')
        ? []
        : `${below}:${row}:${column}`;
    });
  return frames.slice(0, MAX_STACK_FRAMES);
}

/** Every secret that this process holds. Asked for where something failed, not for every line. */
function secretsInUse(): string[] {
  const { logs, updates, upgraded, router, access, metricsToken, index, alertWebhook } = currentSettings();
  const keys = [...logs, updates, upgraded, router].map((service) => service?.apiKey);
  // Those of the access are the functions in it.
  const ofAccess = Object.values(access).filter((value) => typeof value === 'function');
  const others = [metricsToken, index.storeUrl, alertWebhook?.url];
  return [...keys, ...others, ...ofAccess].flatMap((secret) => secret?.() ?? []);
}

/** What waits for a reader that has stopped reading. Lines beyond it are dropped: we are not stopped. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

/** The log's way out of this process. A reader that is gone, or a full disk, ends the log and nothing else. */
function standardOutput() {
  const { stdout } = process;
  let isGone = false;
  stdout.on('error', () => {
    isGone = true;
  });
  // Node writes to a pipe and waits: a reader that is full would stop everything.
  if (stdout instanceof Socket && !stdout.isTTY) {
    (stdout as unknown as { _handle?: { setBlocking?(on: boolean): void } })._handle?.setBlocking?.(false);
  }
  return {
    write: (line: string) =>
      void (isGone || stdout.writableLength > MAX_BUFFERED_BYTES || stdout.write(line, 'latin1')),
  };
}
