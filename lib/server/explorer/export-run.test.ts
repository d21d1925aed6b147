import { beforeEach, describe, expect, it } from 'vitest';
import { type Failure, failed, type Outcome } from '@/lib/domain/outcome';
import type { ExportEnd } from '@/lib/requests/export-mark';
import { readExportUrl } from '@/lib/requests/export-url';
import { FakeLog } from './export-fakes';
import { beginExport, type ExportEdges, exportPieces } from './export-run';
import { exportText } from './export-text';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const DOWN: Failure = {
  kind: 'failing',
  service: 'logs',
  detail: 'The request log service is failing (500).',
};

let log: FakeLog;
let waits: number[];
let edges: ExportEdges;
let mayStay: boolean;
beforeEach(() => {
  mayStay = true;
  log = new FakeLog();
  log.rows = Array.from({ length: 3000 }, (_, sequence) => ({
    sequence,
    ms: NOW - sequence * 100,
    network: '1',
    state: sequence % 10 === 0 ? 'Pending' : 'Completed',
  }));
  waits = [];
  edges = {
    sources: new Map([['main', log]]),
    now: () => NOW,
    networkNames: async (ids) => new Map(ids.map((id) => [id, `net ${id}`])),
    pause: async () => {},
    mayStay: async () => mayStay,
    random: () => 0,
    wait: async (ms) => {
      waits.push(ms);
    },
  };
});

async function run(query: string, stop = new AbortController()) {
  const ask = readExportUrl(new URLSearchParams(query));
  if (!ask.ok) throw new Error(ask.failure.detail);
  const begun = await beginExport(ask.value, edges, stop.signal);
  if (!begun.ok) return { begun, text: '', end: undefined };
  const pieces = exportPieces(begun.value, exportText(ask.value.format), edges, stop.signal);
  let text = '';
  let next = await pieces.next();
  for (; !next.done; next = await pieces.next()) text += next.value;
  return { begun, text, end: next.value as ExportEnd | undefined };
}

const atCall =
  (failing: (call: number) => boolean, failure: Failure) =>
  (call: number): Outcome<never> | undefined =>
    failing(call) ? failed(failure) : undefined;

describe('an export', () => {
  it('is complete, and says which question it answers and when', async () => {
    const { text, end } = await run('range=all&format=ndjson');
    expect(end).toMatchObject({ expected: 3000, written: 3000, complete: true, problem: null });
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(3001);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      meta: {
        query: '/requests?range=all&asof=2026-11-20T12%3A00%3A00.000Z',
        asof: '2026-11-20T12:00:00.000Z',
        keepers: ['main'],
        complete: true,
      },
    });
  });

  it('leaves out what comes after it began', async () => {
    log.beforeAnswer = (call) => {
      log.rows.push({ sequence: 9000 + call, ms: NOW + call, network: '1', state: 'Pending' });
    };
    const { end } = await run('range=all&format=ndjson');
    expect(end).toMatchObject({ expected: 3000, written: 3000, complete: true });
  });

  it('counts the rows that left its state meanwhile, and is complete when a second count agrees', async () => {
    log.rows = log.rows.map((row) => ({ ...row, state: 'Pending' }));
    log.beforeAnswer = (call) => {
      if (call === 2) for (const row of log.rows.slice(-5)) row.state = 'Completed';
    };
    const { end } = await run('range=all&state=pending&format=ndjson');
    expect(end).toMatchObject({ expected: 3000, written: 2995, left: 5, entered: 0, complete: true });
  });

  it('is not complete when the service counts more than it gives, and says so', async () => {
    const page = log.page.bind(log);
    log.page = async (filter, limit, offset) => {
      const answer = await page(filter, limit, offset);
      return answer.ok ? { ok: true, value: { ...answer.value, total: '3007' } } : answer;
    };
    const { end } = await run('range=all&format=csv');
    expect(end).toMatchObject({ expected: 3007, written: 3000, complete: false });
    expect(end?.problem).toMatch(/counts 3007 rows .* gave 3000/);
  });

  it('stops asking when its reader leaves', async () => {
    const stop = new AbortController();
    log.beforeAnswer = (call) => call === 2 && stop.abort();
    const { end } = await run('range=all&format=ndjson', stop);
    expect(end).toBeUndefined();
    expect(log.calls).toBe(2);
  });

  it('gives no row more and asks for none once its visitor may not stay, and is not complete', async () => {
    log.beforeAnswer = (call) => {
      if (call === 2) mayStay = false;
    };
    const { text, end } = await run('range=all&format=ndjson');
    expect(end).toMatchObject({ expected: 3000, written: 1000, complete: false });
    expect(end?.problem).toContain('signed out');
    expect(text.trimEnd().split('\n')).toHaveLength(1001);
    expect(log.calls).toBe(2);
  });
});

describe('a service that fails', () => {
  it('for a while is waited for, with growing gaps or as long as it says', async () => {
    log.failWith = (call) =>
      atCall((at) => at === 2 || at === 3, DOWN)(call) ??
      atCall((at) => at === 5, { ...DOWN, kind: 'rate-limited', retryAfterS: 7 })(call);
    const { end } = await run('range=all&format=ndjson');
    expect(end).toMatchObject({ written: 3000, complete: true });
    expect(waits).toEqual([500, 1000, 7000]);
  });

  it('for good ends the file with what came and a mark', async () => {
    log.failWith = atCall((call) => call > 2, DOWN);
    const { text, end } = await run('range=all&format=csv');
    expect(end).toMatchObject({ expected: 3000, complete: false, problem: DOWN.detail });
    expect(end?.written).toBeGreaterThan(1000);
    expect(text).toContain(`# problem: ${DOWN.detail},`);
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^# complete: no,/);
  });

  it('in a way that does not pass is not asked again', async () => {
    log.failWith = atCall((call) => call > 1, { ...DOWN, kind: 'unauthorized' });
    const { end } = await run('range=all&format=ndjson');
    expect(end).toMatchObject({ complete: false, written: 1000 });
    expect([waits, log.calls]).toEqual([[], 2]);
  });

  it('or names a longer wait than a stream may be silent for ends it', async () => {
    log.failWith = atCall((call) => call > 1, { ...DOWN, kind: 'rate-limited', retryAfterS: 600 });
    expect((await run('range=all&format=ndjson')).end).toMatchObject({ complete: false });
    expect(waits).toEqual([]);
  });

  it('before the first row gives the failure instead of a file, soon', async () => {
    log.failWith = atCall(() => true, DOWN);
    const { begun } = await run('range=all&format=csv');
    expect(begun).toEqual({ ok: false, failure: DOWN });
    expect(waits).toEqual([500]);
  });
});
