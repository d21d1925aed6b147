import { expect, it } from 'vitest';
import { loggedError } from './log';

const ROOT = '/srv/keeperscope';
const noSecrets = () => [];

function thrown(message: string, ...frames: string[]): Error {
  const error = new Error(message);
  error.stack = [`Error: ${message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n');
  return error;
}

it('names the places in our own files, below our folder, and those of nobody else', () => {
  const error = thrown(
    'odd',
    `answer (${ROOT}/.next/server/chunks/a1.js:1:2345)`,
    `async ${ROOT}/lib/server/gateway.ts:40:3`,
    `Object.parse (${ROOT}/node_modules/zod/index.js:9:9)`,
    'node:internal/process/task_queues:95:5',
    'Script.x (/elsewhere/script.js:1:1)',
    `file://${ROOT}/scripts/start.mjs:7:1`,
    'new Promise (<anonymous>)',
  );
  expect(loggedError(error, ROOT, noSecrets)).toEqual({
    name: 'Error',
    message: 'odd',
    at: ['.next/server/chunks/a1.js:1:2345', 'lib/server/gateway.ts:40:3', 'scripts/start.mjs:7:1'],
  });
});

it('takes no line of a message for a place', () => {
  const error = thrown(`x\n    at forged (${ROOT}/lib/forged.ts:1:1)`, `real (${ROOT}/lib/real.ts:2:2)`);
  expect(loggedError(error, ROOT, noSecrets).at).toEqual(['lib/real.ts:2:2']);
});

it('passes over a line that is no place of ours, however long it is', () => {
  const error = thrown('odd', `x (${'/a'.repeat(2_000_000)}`, `real (${ROOT}/lib/real.ts:2:2)`);
  expect(loggedError(error, ROOT, noSecrets).at).toEqual(['lib/real.ts:2:2']);
});

it('says the code of what went wrong, or of its cause', () => {
  const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  expect(loggedError(new Error('fetch failed', { cause }), ROOT, noSecrets).code).toBe('ECONNREFUSED');
  expect(loggedError(Object.assign(cause, { code: 'a\nb' }), ROOT, noSecrets).code).toBeUndefined();
});

it('hides every secret and where we lie, and cuts what is long', () => {
  const error = thrown(`key=abc at ${ROOT}/x.ts, again abc, ${'y'.repeat(1000)}`);
  const { message } = loggedError(error, ROOT, () => ['abc']);
  expect(message).toContain('key=[secret] at x.ts, again [secret], yyy');
  expect(message.length).toBeLessThan(310);
});

it('says what it can of something that is no error', () => {
  expect(loggedError('why', ROOT, noSecrets)).toEqual({ name: 'string', message: 'why' });
  expect(loggedError({ token: 'x' }, ROOT, noSecrets)).toEqual({ name: 'object', message: '' });
  expect(loggedError(undefined, ROOT, noSecrets)).toEqual({ name: 'undefined', message: '' });
});
