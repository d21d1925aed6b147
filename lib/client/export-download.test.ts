import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { csvMarkLines, type ExportEnd, type ExportMeta } from '@/lib/requests/export-mark';
import { EXPECTED_HEADER } from '@/lib/requests/export-url';
import { type DownloadEdges, downloadExport, type ExportProgress } from './export-download';
import { ExportPace } from './export-pace';
import { ExportCounter } from './export-progress';
import type { ExportSink } from './export-sink';

const META: ExportMeta = {
  query: '/requests',
  asof: '2026-11-20T12:00:00Z',
  started: '2026-11-20T12:00:01Z',
  order: 'created_at, newest first',
  keepers: ['main'],
  expected: 3,
};
const END: ExportEnd = {
  finished: '2026-11-20T12:00:02Z',
  expected: 3,
  written: 3,
  unreadable: 0,
  complete: true,
  problem: null,
};

const bytes = (text: string) => new TextEncoder().encode(text);
const ndjson = (end: Partial<ExportEnd> = {}) =>
  `{"a":1}\n{"a":2}\n{"a":3}\n${JSON.stringify({ meta: { ...META, ...END, ...end } })}\n`;

let written: string;
let ended: string[];
let sink: ExportSink;
beforeEach(() => {
  written = '';
  ended = [];
  sink = {
    async write(chunk) {
      written += new TextDecoder().decode(chunk);
    },
    async finish(worth) {
      ended.push(worth);
      return worth === 'complete' ? 'requests.csv' : 'requests-incomplete.csv';
    },
    async discard() {
      ended.push('discarded');
    },
  };
});

function answering(chunks: readonly (string | Error)[], init: ResponseInit = {}): DownloadEdges {
  let now = 0;
  return {
    now: () => {
      now += 1000;
      return now;
    },
    after: () => () => {},
    fetch: async () => {
      let next = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const chunk = chunks[next++];
          if (chunk === undefined) controller.close();
          else if (chunk instanceof Error) controller.error(chunk);
          else controller.enqueue(bytes(chunk));
        },
      });
      return new Response(body, { headers: { [EXPECTED_HEADER]: '3' }, ...init });
    },
  };
}

const told: ExportProgress[] = [];
const download = (edges: DownloadEdges, signal = new AbortController().signal) =>
  downloadExport('/x', 'ndjson', sink, (progress) => told.push(progress), signal, edges);

describe('an export that is fetched', () => {
  it('is complete when its end says so and as many rows came', async () => {
    const result = await download(answering([ndjson().slice(0, 10), ndjson().slice(10)]));
    expect(result).toMatchObject({ kind: 'complete', rows: 3, fileName: 'requests.csv' });
    expect(written).toBe(ndjson());
    expect(ended).toEqual(['complete']);
    expect(told.at(-1)).toMatchObject({ expected: 3, bytes: ndjson().length });
  });

  it('is incomplete when the server says so', async () => {
    const result = await download(answering([ndjson({ complete: false, problem: 'It is failing.' })]));
    expect(result).toMatchObject({ kind: 'incomplete', rows: 3, expected: 3, problem: 'It is failing.' });
    expect(ended).toEqual(['incomplete']);
  });

  it('is incomplete when fewer rows came than the server wrote', async () => {
    const result = await download(answering([ndjson({ written: 5 })]));
    expect(result).toMatchObject({ kind: 'incomplete', problem: 'The server wrote 5 rows, and 3 arrived.' });
  });

  it('is incomplete when it has no end, and what came is kept', async () => {
    const result = await download(answering(['{"a":1}\n{"a":2}\n']));
    expect(result).toMatchObject({ kind: 'incomplete', rows: 2, problem: expect.stringMatching(/lost/) });
    expect(await download(answering(['{"a":1}\n', new Error('reset')]))).toMatchObject({ rows: 1 });
    expect(ended).toEqual(['incomplete', 'incomplete']);
  });

  it('gives the failure that the server explains, and leaves no file', async () => {
    const problem = JSON.stringify({ kind: 'too-many', detail: 'Enough.', status: 429, title: 'x' });
    const result = await download(answering([problem], { status: 429 }));
    expect(result).toMatchObject({ kind: 'failed', failure: { kind: 'too-many', detail: 'Enough.' } });
    expect(ended).toEqual(['discarded']);
  });

  it('leaves no file when it is cancelled', async () => {
    const stop = new AbortController();
    const edges = answering(['{"a":1}\n']);
    stop.abort();
    expect(await download(edges, stop.signal)).toEqual({ kind: 'cancelled' });
    expect(ended).toEqual(['discarded']);
  });

  it('is incomplete when the place for it takes no more', async () => {
    sink.write = () => Promise.reject(new Error('disk full'));
    const result = await download(answering([ndjson()]));
    expect(result).toMatchObject({ kind: 'incomplete', problem: 'The file cannot be written: disk full' });
  });

  it('is given up when the server falls silent', async () => {
    const edges = answering([]);
    let silent = () => {};
    edges.after = (ms, run) => {
      if (ms > 60_000) silent = run;
      return () => {};
    };
    edges.fetch = async (_url, signal) =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(bytes('{"a":1}\n'));
            signal.addEventListener('abort', () => controller.error(new Error('aborted')));
            queueMicrotask(() => silent());
          },
        }),
      );
    expect(await download(edges)).toMatchObject({
      kind: 'incomplete',
      problem: expect.stringMatching(/nothing more/),
    });
  });
});

describe('the pace of an export', () => {
  it('is that of the last seconds, not of the whole', () => {
    const pace = new ExportPace(0);
    expect(pace.at(400)).toBe('starting');
    for (let second = 1; second <= 10; second++) pace.add(second * 4000, second * 1000);
    expect(pace.at(10_000)).toBe(4000);
    for (let second = 11; second <= 16; second++) pace.add(40_000 + (second - 10) * 100, second * 1000);
    expect(pace.at(16_000)).toBe(100);
  });

  it('is a wait when nothing came for three seconds, until something comes', () => {
    const pace = new ExportPace(0);
    expect(pace.at(3000)).toBe('waiting');
    pace.add(1000, 3500);
    expect(pace.at(4000)).toBe(250);
    expect([pace.at(6499), pace.at(6500)]).toEqual([200, 'waiting']);
    pace.add(1010, 30_000);
    expect(pace.at(30_000)).toBe(2);
  });

  it('is told while nothing comes, and no more once it has ended', async () => {
    const edges = answering([]);
    const ticks: (() => void)[] = [];
    edges.after = (ms, run) => {
      if (ms > 60_000) return () => {};
      ticks.push(run);
      return () => void ticks.splice(ticks.indexOf(run), 1);
    };
    let end = () => {};
    edges.fetch = async () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(bytes('{"a":1}\n'));
            end = () => controller.close();
          },
        }),
      );
    told.length = 0;
    const result = download(edges);
    await expect.poll(() => told.length).toBe(1);
    for (let tick = 0; tick < 4; tick++) ticks[0]?.();
    expect(told.at(-1)).toMatchObject({ rows: 1, pace: 'waiting' });
    end();
    await result;
    expect(ticks).toEqual([]);
  });
});

describe('the rows of a CSV', () => {
  it('are counted right wherever the chunks are cut, whatever stands in the cells', () => {
    const cell = fc
      .string({ unit: fc.constantFrom('a', '"', '\n', ',', '\r') })
      .map((text) => `"${text.replaceAll('"', '""')}"`);
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 8 }), fc.integer({ min: 1, max: 7 }), (cells, size) => {
        const mark = csvMarkLines(META, END).map((line) => `${line},\n`);
        const file = bytes(`keeper,raw\n${cells.map((one) => `main,${one}\n`).join('')}${mark.join('')}`);
        const counter = new ExportCounter('csv');
        for (let at = 0; at < file.length; at += size) counter.add(file.subarray(at, at + size));
        expect(counter.rowsOfWhole).toBe(cells.length);
        expect(counter.bytes).toBe(file.length);
        expect(counter.tail.endsWith('# complete: yes,\n')).toBe(true);
      }),
    );
  });
});
