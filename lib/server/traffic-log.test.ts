import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CallEvent } from '@/lib/upstream/call-record';
import { createLog, type Log, logCall, logRequest, type RequestEnd } from './log';
import { processWide } from './process-wide';

let texts: string[] = [];
const kept = processWide<Log>('log');

beforeEach(() => {
  texts = [];
  kept.set(createLog('debug', { write: (line) => texts.push(line) }));
});
afterEach(() => kept.set(undefined));

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

/** What the only line says, without what every line says. */
function said() {
  expect(texts).toHaveLength(1);
  const { time, name, ...rest } = JSON.parse(texts.pop() ?? '');
  expect([typeof time, name]).toEqual(['number', 'keeperscope']);
  return rest;
}

it('raises its voice for errors of ours, and lowers it for files that are the same for everybody', () => {
  const levels = [
    { status: 503 },
    { status: 404 },
    { status: 'aborted' as const },
    { route: '/_next/static/{file}' },
    { route: '/_next/static/{file}', status: 304 },
    { route: '/_next/static/{file}', status: 404 },
  ].map((change) => {
    logRequest({ ...REQUEST, ...change });
    return said().level;
  });
  expect(levels).toEqual(['warn', 'info', 'info', 'debug', 'debug', 'info']);
});

it('says of a call which service it was and how it went, never what was asked', () => {
  logCall(CALL);
  const { route, outcome, status, ms, bytes } = CALL;
  const call = { service: 'logs:main', route, outcome, status, ms, bytes };
  expect(said()).toEqual({ level: 'info', msg: 'service call', ...call });
});

it('warns of a service that failed, not of a request that was wrong or of a call that was held back', () => {
  logCall({ ...CALL, outcome: 'timeout', status: undefined });
  expect(said()).toMatchObject({ level: 'warn', outcome: 'timeout' });
  logCall({ ...CALL, outcome: 'missing', status: 404 });
  expect(said().level).toBe('info');
  logCall({ ...CALL, outcome: 'rate-limited', called: false, ms: 0, bytes: 0, status: undefined });
  expect(said()).toMatchObject({ level: 'info', outcome: 'rate-limited', sent: 'no' });
});
