import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLog, type LogFields, withinRequest } from './log';
import { readSettings, replaceSettings } from './settings';

beforeEach(() =>
  replaceSettings(readSettings({ LOGS_URL: 'http://127.0.0.1:9', LOGS_API_KEY: 'key-of-the-log' })),
);
afterEach(() => replaceSettings(undefined));

/** Printable ASCII, and one end. */
const LINE = /^\{[\x20-\x7e]*\}\n$/;

/** The texts that a log writes, and what they say; each has to be one line. */
function written(write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] {
  const texts: string[] = [];
  write(createLog('debug', { write: (line) => texts.push(line) }));
  return texts.map((text) => {
    expect(text).toMatch(LINE);
    return JSON.parse(text);
  });
}

const HOSTILE = [
  'two\nlines\r\nand three',
  '\u001b[2J\u001b]0;title\u0007',
  'c1 \u009b31m del \u007f',
  'separators \u2028 \u2029 \u0085',
  'turned \u202e round \u2066 \ufeff',
  'half a pair \ud83d and \udc00',
  '"},"level":"fatal","x":{"',
  '\\u000a \\',
  '<script>alert(1)</script>',
  'a smile \u{1f600}',
];

it('is one line of printable ASCII whatever a text holds, and says the same text', () => {
  for (const text of HOSTILE) {
    const [line] = written((log) => log.info({ reason: text, unknown: [text] }, 'said'));
    expect(line).toMatchObject({ reason: text, unknown: [text], msg: 'said', level: 'info' });
  }
});

it('is one line for every text there is', () => {
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

it('keeps a line short whatever is sent', () => {
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

it('says for which request a line is', () => {
  const lines = written((log) => {
    withinRequest('this-one', () => log.info({}, 'within'));
    withinRequest('this-one', () => log.info({ requestId: 'that-one' }, 'named'));
    log.info({}, 'outside');
  });
  expect(lines.map(({ requestId }) => requestId)).toEqual(['this-one', 'that-one', undefined]);
});

it('writes what its level lets through, and looks at nothing else', () => {
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

it('says of an error what helps, and no secret', () => {
  const error = new TypeError('invalid header value "Bearer key-of-the-log"');
  const [line] = written((log) => log.error({ error }, 'a bug'));
  expect(line?.error).toMatchObject({ name: 'TypeError', message: 'invalid header value "Bearer [secret]"' });
  expect(JSON.stringify(line)).not.toContain(process.cwd());
});
