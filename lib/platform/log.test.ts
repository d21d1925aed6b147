import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallEvent } from '@/lib/core/call-event';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import {
  createLog,
  currentRequestId,
  type Log,
  type LogFields,
  logCall,
  loggedError,
  logRequest,
  type RequestEnd,
  withinRequest,
} from './log';
import { processWide } from './process-wide';
import { readSettings } from './settings';

beforeEach(() =>
  replaceSettings(readSettings({ LOGS_URL: 'http://127.0.0.1:9', LOGS_API_KEY: 'key-of-the-log' })),
);
afterEach(() => replaceSettings(undefined));

/** Printable ASCII. */
const LINE = /^\{[\x20-\x7e]*\}\n$/;

function written(write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] {
  const texts: string[] = [];
  write(createLog('debug', { write: (line) => texts.push(line) }));
  return texts.map((text) => {
    expect(text).toMatch(LINE);
    return JSON.parse(text);
  });
}

it('writes one line for any text', () => {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 });
  let text = '';
  const log = createLog('debug', { write: (line) => (text = line) });
  fc.assert(
    fc.property(units, (codes) => {
      const kind = String.fromCharCode(...codes);
      log.info({ kind, unknown: [kind] }, kind);
      expect(text).toMatch(LINE);
      expect(JSON.parse(text).kind).toBe(kind.length <= 200 ? kind : `${kind.slice(0, 200)}…`);
    }),
  );
});

it('limits the length of a line', () => {
  const much = 'x\n'.repeat(500_000);
  const fields: LogFields = { route: much, unknown: Array(1000).fill(much), error: new Error(much) };
  const [line] = written((log) => log.warn(fields, much));
  expect(JSON.stringify(line).length).toBeLessThan(8000);
});

it('drops every field that is not on the list, and every value of another type', () => {
  const strange = {
    query: 'q=1',
    cookie: 'ks-session=1',
    __proto__: { method: 'inherited' },
    constructor: 'x',
    headers: { authorization: 'Bearer x' },
    status: { toJSON: () => 'x' },
    ms: Number.NaN,
    bytes: null,
    unknown: [{ a: 1 }, 'known'],
    route: '/api/health',
  };
  const [line] = written((log) => log.info(strange as unknown as LogFields, 'said'));
  expect(Object.keys(line ?? {}).sort()).toEqual(['level', 'msg', 'name', 'route', 'time', 'unknown']);
  expect(line?.unknown).toEqual(['known']);
});

it('names the request of a line', () => {
  const lines = written((log) => {
    withinRequest('this-one', () => log.info({}, 'within'));
    withinRequest('this-one', () => log.info({ requestId: 'that-one' }, 'named'));
    log.info({}, 'outside');
  });
  expect(lines.map(({ requestId }) => requestId)).toEqual(['this-one', 'that-one', undefined]);
});

it('writes only what its level allows, and evaluates nothing else', () => {
  const texts: string[] = [];
  const log = createLog('warn', { write: (line) => texts.push(line) });
  const never = Object.defineProperty({}, 'route', {
    enumerable: true,
    get: () => {
      throw new Error('read');
    },
  });
  log.debug(never, 'a');
  log.info(never, 'b');
  log.warn({}, 'c');
  log.error({}, 'd');
  expect(texts.map((text) => JSON.parse(text).level)).toEqual(['warn', 'error']);
});

it('logs the useful parts of an error, and no secret', () => {
  const error = new TypeError('invalid header value "Bearer key-of-the-log"');
  const [line] = written((log) => log.error({ error }, 'a bug'));
  expect(line?.error).toMatchObject({ name: 'TypeError', message: 'invalid header value "Bearer [secret]"' });
  expect(JSON.stringify(line)).not.toContain(process.cwd());
});

describe('an error', () => {
  const ROOT = '/srv/keeperscope';
  const noSecrets = () => [];

  function thrown(message: string, ...frames: string[]): Error {
    const error = new Error(message);
    error.stack = [`Error: ${message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n');
    return error;
  }

  it('lists frames in our own files, relative to our folder, and no others', () => {
    const error = thrown(
      'odd',
      `answer (${ROOT}/.next/server/chunks/a1.js:1:2345)`,
      `async ${ROOT}/lib/gateway/gateway.ts:40:3`,
      `Object.parse (${ROOT}/node_modules/zod/index.js:9:9)`,
      'node:internal/process/task_queues:95:5',
      'Script.x (/elsewhere/script.js:1:1)',
      `file://${ROOT}/scripts/start.mjs:7:1`,
      'new Promise (<anonymous>)',
    );
    expect(loggedError(error, ROOT, noSecrets)).toEqual({
      name: 'Error',
      message: 'odd',
      at: ['.next/server/chunks/a1.js:1:2345', 'lib/gateway/gateway.ts:40:3', 'scripts/start.mjs:7:1'],
    });
  });

  it('does not mistake a line of the message for a frame', () => {
    const error = thrown(`x\n    at forged (${ROOT}/lib/forged.ts:1:1)`, `real (${ROOT}/lib/real.ts:2:2)`);
    expect(loggedError(error, ROOT, noSecrets).at).toEqual(['lib/real.ts:2:2']);
  });

  it('skips a line that is no frame of ours, however long it is', () => {
    const error = thrown('odd', `x (${'/a'.repeat(2_000_000)}`, `real (${ROOT}/lib/real.ts:2:2)`);
    expect(loggedError(error, ROOT, noSecrets).at).toEqual(['lib/real.ts:2:2']);
  });

  it('has the code of the error, or of its cause', () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(loggedError(new Error('fetch failed', { cause }), ROOT, noSecrets).code).toBe('ECONNREFUSED');
    expect(loggedError(Object.assign(cause, { code: 'a\nb' }), ROOT, noSecrets).code).toBeUndefined();
  });

  it('hides every secret and our folder, and truncates long text', () => {
    const error = thrown(`key=abc at ${ROOT}/x.ts, again abc, ${'y'.repeat(1000)}`);
    const { message } = loggedError(error, ROOT, () => ['abc']);
    expect(message).toContain('key=[secret] at x.ts, again [secret], yyy');
    expect(message.length).toBeLessThan(310);
  });

  it('describes a thrown value that is no error', () => {
    expect(loggedError('why', ROOT, noSecrets)).toEqual({ name: 'string', message: 'why' });
    expect(loggedError({ token: 'x' }, ROOT, noSecrets)).toEqual({ name: 'object', message: '' });
    expect(loggedError(undefined, ROOT, noSecrets)).toEqual({ name: 'undefined', message: '' });
  });
});

describe('traffic', () => {
  let texts: string[] = [];
  const processLog = processWide<Log>('log');

  beforeEach(() => {
    texts = [];
    processLog.set(createLog('debug', { write: (line) => texts.push(line) }));
  });
  afterEach(() => processLog.set(undefined));

  const REQUEST: RequestEnd = {
    requestId: 'r-1',
    kind: 'answer',
    method: 'GET',
    route: '/api/logs/v1/logs',
    status: 200,
    ms: 12.345,
    bytes: 678,
  };
  const CALL: CallEvent = {
    label: 'logs:main',
    route: '/v1/logs',
    outcome: 'ok',
    ms: 9.1,
    bytes: 500,
    status: 200,
    called: true,
  };

  /** The logged line, without the fields that every line has. */
  function loggedLine() {
    expect(texts).toHaveLength(1);
    const { time, name, ...rest } = JSON.parse(texts.pop() ?? '');
    expect([typeof time, name]).toEqual(['number', 'keeperscope']);
    return rest;
  }

  it('logs our own errors at a higher level, and static files at a lower one', () => {
    const levels = [
      { status: 503 },
      { status: 404 },
      { status: 'aborted' as const },
      { route: '/_next/static/{file}' },
      { route: '/_next/static/{file}', status: 304 },
      { route: '/_next/static/{file}', status: 404 },
    ].map((change) => {
      logRequest({ ...REQUEST, ...change });
      return loggedLine().level;
    });
    expect(levels).toEqual(['warn', 'info', 'info', 'debug', 'debug', 'info']);
  });

  it('names the service and the outcome of a call, never its query', () => {
    logCall(CALL);
    const { route, outcome, status, ms, bytes } = CALL;
    const call = { service: 'logs:main', route, outcome, status, ms, bytes };
    expect(loggedLine()).toEqual({ level: 'info', msg: 'service call', ...call });
  });

  it('warns of a service that failed, not of a wrong request or a held-back call', () => {
    logCall({ ...CALL, outcome: 'timeout', status: undefined });
    expect(loggedLine()).toMatchObject({ level: 'warn', outcome: 'timeout' });
    logCall({ ...CALL, outcome: 'missing', status: 404 });
    expect(loggedLine().level).toBe('info');
    logCall({ ...CALL, outcome: 'rate-limited', called: false, ms: 0, bytes: 0, status: undefined });
    expect(loggedLine()).toMatchObject({ level: 'info', outcome: 'rate-limited', sent: 'no' });
  });
});

describe('the id of a request', () => {
  it('is available to everything that runs for the request, also of concurrent requests', async () => {
    const lines = await Promise.all(
      ['one', 'two'].map((id) =>
        withinRequest(id, async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return currentRequestId();
        }),
      ),
    );
    expect(lines).toEqual(['one', 'two']);
    expect(currentRequestId()).toBeUndefined();
  });

  it('is dropped a minute after the request began', () => {
    vi.useFakeTimers();
    withinRequest('one', () => {
      vi.advanceTimersByTime(59_000);
      expect(currentRequestId()).toBe('one');
      vi.advanceTimersByTime(2000);
      expect(currentRequestId()).toBeUndefined();
    });
    vi.useRealTimers();
  });
});
