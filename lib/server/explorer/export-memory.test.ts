import { beforeEach, describe, expect, it } from 'vitest';
import { failed } from '@/lib/domain/outcome';
import type { ExportEnd } from '@/lib/requests/export-mark';
import { readExportUrl } from '@/lib/requests/export-url';
import { FakeLog, type FakeRow } from './export-fakes';
import { exportRowMemory, RowMemory } from './export-memory';
import { beginExport, type ExportEdges, exportPieces } from './export-run';
import { exportText } from './export-text';

const NOW = Date.parse('2026-11-20T12:00:00Z');

let log: FakeLog;
let memory: RowMemory;
let edges: ExportEdges;
beforeEach(() => {
  log = new FakeLog();
  memory = new RowMemory(1000);
  edges = {
    sources: new Map([['main', log]]),
    now: () => NOW,
    networkNames: async (ids) => new Map(ids.map((id) => [id, id])),
    pause: async () => {},
    random: () => 0,
    wait: async () => {},
    mayStay: async () => true,
  };
});

/** Rows with so many milliseconds between them; 0 for one moment. */
const rowsApart = (count: number, ms: number): FakeRow[] =>
  Array.from({ length: count }, (_, sequence) => {
    return { sequence, ms: NOW - sequence * ms, network: '1', state: 'Completed' };
  });

async function begin(stop = new AbortController()) {
  const ask = readExportUrl(new URLSearchParams('range=all&format=ndjson'));
  if (!ask.ok) throw new Error(ask.failure.detail);
  const begun = await beginExport(ask.value, edges, stop.signal, memory);
  if (!begun.ok) return undefined;
  return exportPieces(begun.value, exportText('ndjson'), edges, stop.signal);
}

async function readOn(pieces: Awaited<ReturnType<typeof begin>>): Promise<ExportEnd | undefined> {
  for (;;) {
    const next = await pieces?.next();
    if (next === undefined || next.done) return next?.value;
  }
}

describe('what all exports remember of rows', () => {
  it('is bounded for one: a service with more rows of one moment is given up', async () => {
    log.rows = rowsApart(800, 0);
    const end = await readOn(await begin());
    expect(end).toMatchObject({ written: 500, complete: false });
    expect(end?.problem).toBe('The request log service gives more than 500 rows of one moment.');
  });

  it('is bounded for all together: the one that would exceed it ends and says that others are the reason', async () => {
    log.rows = rowsApart(300, 0);
    const first = await begin();
    for (let piece = 0; piece < 4; piece++) await first?.next();
    expect(memory.held).toBe(600);
    const end = await readOn(await begin());
    expect(end).toMatchObject({ written: 200, complete: false });
    expect(end?.problem).toMatch(/^The exports under way have more than 500 rows of one moment together/);
    expect(memory.held).toBe(600);
    expect(await readOn(first)).toMatchObject({ written: 300, complete: true });
    expect(memory.held).toBe(0);
    expect(await readOn(await begin())).toMatchObject({ written: 300, complete: true });
  });

  it('is given back as moments pass, and an export of any length goes through', async () => {
    log.rows = rowsApart(5000, 20);
    let most = 0;
    edges.pause = async () => {
      most = Math.max(most, memory.held);
    };
    expect(await readOn(await begin())).toMatchObject({ written: 5000, complete: true });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(200);
  });

  it('counts rows that can’t be read as well', async () => {
    log.odd = Array.from({ length: 900 }, (_, at) => `{"sequence":${at}}`);
    expect(await readOn(await begin())).toMatchObject({ written: 500, complete: false });
    expect(memory.held).toBe(0);
  });
});

it('the memory is one for the process, unless another is given', async () => {
  const ask = readExportUrl(new URLSearchParams('range=all&format=csv'));
  if (!ask.ok) throw new Error(ask.failure.detail);
  const begun = await Promise.all(
    [1, 2].map(() => beginExport(ask.value, edges, new AbortController().signal)),
  );
  const memories = begun.map((one) => one.ok && one.value.walk.share.memory);
  expect(memories).toEqual([exportRowMemory(), exportRowMemory()]);
  expect(memories[0]).toBe(memories[1]);
});

describe('an export gives back its part', () => {
  beforeEach(() => {
    log.rows = rowsApart(300, 0);
  });

  it('when it can’t begin', async () => {
    log.failWith = () => failed({ kind: 'unauthorized', detail: 'No.' });
    expect(await begin()).toBeUndefined();
    expect(memory.held).toBe(0);
  });

  it('when the service fails in the middle', async () => {
    log.rows = [...rowsApart(300, 0), ...rowsApart(2000, 0).map((row) => ({ ...row, ms: NOW - 1 }))];
    memory = new RowMemory(100_000);
    log.failWith = (call) => (call > 1 ? failed({ kind: 'unauthorized', detail: 'No.' }) : undefined);
    expect(await readOn(await begin())).toMatchObject({ complete: false, problem: 'No.' });
    expect(memory.held).toBe(0);
  });

  it('when it meets an error of ours', async () => {
    edges.pause = async () => {
      expect(memory.held).toBeGreaterThan(0);
      throw new Error('ours');
    };
    await expect(readOn(await begin())).rejects.toThrow('ours');
    expect(memory.held).toBe(0);
  });

  it('when its reader leaves, at once and for good, and when it is closed', async () => {
    const stop = new AbortController();
    const left = await begin(stop);
    for (let piece = 0; piece < 3; piece++) await left?.next();
    expect(memory.held).toBe(400);
    stop.abort();
    expect(memory.held).toBe(0);
    await left?.next();
    const closed = await begin();
    for (let piece = 0; piece < 3; piece++) await closed?.next();
    expect(memory.held).toBe(400);
    await closed?.return(undefined);
    expect(memory.held).toBe(0);
  });

  it('when its reader leaves in the middle of an answer: what still comes is not counted', async () => {
    const stop = new AbortController();
    log.beforeAnswer = () => stop.abort();
    expect(await readOn(await begin(stop))).toBeUndefined();
    expect(memory.held).toBe(0);
  });
});
