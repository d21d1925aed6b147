import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { relative } from 'node:path';
import pino from 'pino';
import type { CallEvent } from '@/lib/core/call-event';
import { MINUTE_MS } from '@/lib/core/time';
import { processWide } from './process-wide';
import { currentSettings, type LogLevel } from './settings';

type Say = (fields: LogFields, message: string) => void;

export type Log = Record<'debug' | 'info' | 'warn' | 'error', Say>;

const processLog = processWide<Log>('log');

/** One JSON line per event on standard output. */
export function log(): Log {
  return processLog.ensure(() => createLog(currentSettings().logLevel, standardOutput()));
}

/**
 * A log of allowed fields, a request id and printable ASCII: hostile text can neither end a line nor reach a terminal.
 */
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

/** Characters that occur in JSON only within strings, where an escape means the same. */
const UNPRINTABLE = /[^\x20-\x7e\n]/g;

function printable(line: string): string {
  return line.replace(UNPRINTABLE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Header of a request's id for callers, proxies and logs; sent back with every answer. */
export const REQUEST_ID_HEADER = 'x-request-id';

type RequestScope = { id: string; sinceMs: number };

/** Includes UUIDs, trace ids and the ids of common proxies. The id goes into a header and the log unchanged. */
const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/;
/** Work of a request that still runs at this age, such as a loop that it started, no longer belongs to it. */
const MAX_SCOPE_AGE_MS = MINUTE_MS;

const processScopes = processWide<AsyncLocalStorage<RequestScope>>('request-scopes');

/** The caller's id if it is well-formed, else a new one. Every answer carries it. */
export function assignRequestId(request: IncomingMessage, response: ServerResponse): string {
  const callerId = request.headers[REQUEST_ID_HEADER];
  const id = typeof callerId === 'string' && WELL_FORMED.test(callerId) ? callerId : randomUUID();
  request.headers[REQUEST_ID_HEADER] = id;
  response.setHeader(REQUEST_ID_HEADER, id);
  return id;
}

export function withinRequest<T>(id: string, work: () => T): T {
  const scopes = processScopes.ensure(() => new AsyncLocalStorage<RequestScope>());
  return scopes.run({ id, sinceMs: performance.now() }, work);
}

export function currentRequestId(): string | undefined {
  const scope = processScopes.get()?.getStore();
  return scope && performance.now() - scope.sinceMs < MAX_SCOPE_AGE_MS ? scope.id : undefined;
}

/** Answered or aborted. Nothing about the caller, and no path or query. */
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

const STATIC = new Set(['/_next/static/{file}', '/icon.svg', '/icon-alert.svg', '/manifest.webmanifest']);
/** The request's fault, not the service's. */
const CALLER_ERRORS: ReadonlySet<string> = new Set(['bad-request', 'rejected', 'missing']);

/** Logs a request at its end; a stream, when the client leaves. */
export function logRequest({ kind, ...fields }: RequestEnd): void {
  const { route, status } = fields;
  const isPlain = typeof status === 'number' && status < 400 && STATIC.has(route);
  const level = typeof status === 'number' && status >= 500 ? 'warn' : isPlain ? 'debug' : 'info';
  log()[level](fields, kind === 'stream' ? 'stream' : 'request');
}

/** Logs a call at the end of the answer; a service's stream, at its beginning. */
export function logCall({ label: service, called, ...fields }: CallEvent): void {
  const { route, outcome, status, ms, bytes } = fields;
  const isExpected = outcome === 'ok' || !called || CALLER_ERRORS.has(outcome);
  const sent = called ? undefined : 'no';
  log()[isExpected ? 'info' : 'warn']({ service, route, outcome, status, ms, bytes, sent }, 'service call');
}

/** Any other field is dropped. */
const FIELDS = [
  // About a request, by default the current one. `route` is a pattern, never a path.
  'requestId',
  'method',
  'route',
  'status',
  'ms',
  'bytes',
  // About a call: `logs:main`; `ok` or a kind of failure; `no` for a call that was held back.
  'service',
  'outcome',
  'sent',
  'kind',
  // Why a stream ended; the signal that ends the process; an export's progress; symbols in no directory.
  'stream',
  'reason',
  'signal',
  'written',
  'expected',
  'complete',
  'unknown',
] as const;
type Value = string | number | boolean | readonly string[];
export type LogFields = Partial<Record<(typeof FIELDS)[number], Value>> & { error?: unknown };

const MAX_TEXT_LENGTH = 200;
const MAX_LIST_ITEMS = 20;

/** Texts have at most 200 characters; numbers are finite. */
function allowedFields(fields: LogFields): Record<string, unknown> {
  const names = FIELDS.filter((name) => Object.hasOwn(fields, name));
  return {
    ...Object.fromEntries(names.map((name) => [name, allowedValue(fields[name])])),
    ...(fields.error === undefined ? {} : { error: loggedError(fields.error) }),
  };
}

function allowedValue(value: unknown): Value | undefined {
  if (Array.isArray(value))
    return value
      .slice(0, MAX_LIST_ITEMS)
      .flatMap((item) => (typeof item === 'string' ? clippedText(item) : []));
  if (typeof value === 'string') return clippedText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? Math.round(value * 10) / 10 : undefined;
  return typeof value === 'boolean' ? value : undefined;
}

function clippedText(text: string, maxLength: number = MAX_TEXT_LENGTH): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}

const MAX_MESSAGE_LENGTH = 300;
const MAX_STACK_FRAMES = 5;
/** The pattern would take long for a line of megabytes. */
const MAX_STACK_LINE_LENGTH = 1000;
/** `(file:///…/chunk.js:1:23)`, `(/…/chunk.js:1:23)`, or one of these without brackets. */
const STACK_FRAME = /(?:file:\/\/)?(\/[^\s()]+):(\d+):(\d+)\)?$/;

/** Name, message without our secrets, and stack frames within our own files. */
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
  const rest = secrets.reduce((masked, secret) => masked.replaceAll(secret, '[secret]'), text);
  return clippedText(rest.replaceAll(`${root}/`, ''), MAX_MESSAGE_LENGTH);
}

function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' && /^[A-Z0-9_]{1,60}$/.test(thrown.code) ? thrown.code : undefined;
}

/** The message at the beginning of a stack is skipped, because its lines may look like frames. */
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

/** Collected only when an error is logged. */
function secretsInUse(): string[] {
  const { logs, updates, upgraded, router, access, metricsToken, index, alertWebhook } = currentSettings();
  const keys = [...logs, updates, upgraded, router].map((service) => service?.apiKey);
  // Members of an access mode that are functions are its secrets.
  const ofAccess = Object.values(access).filter((value) => typeof value === 'function');
  const others = [metricsToken, index.storeUrl, alertWebhook?.url];
  return [...keys, ...others, ...ofAccess].flatMap((secret) => secret?.() ?? []);
}

/** Bytes that wait for a reader of the log. Further lines are dropped: a reader that stopped must not stop us. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

/** A closed pipe or a full disk ends the log and nothing else. */
function standardOutput() {
  const { stdout } = process;
  let isGone = false;
  stdout.on('error', () => {
    isGone = true;
  });
  // Node writes to pipes synchronously by default, so a full pipe would block the process.
  if (stdout instanceof Socket && !stdout.isTTY) {
    (stdout as unknown as { _handle?: { setBlocking?(on: boolean): void } })._handle?.setBlocking?.(false);
  }
  return {
    write: (line: string) =>
      void (isGone || stdout.writableLength > MAX_BUFFERED_BYTES || stdout.write(line, 'latin1')),
  };
}
