import type { Failure } from '@/lib/domain/outcome';
import { readExportEnd } from '@/lib/requests/export-mark';
import { EXPECTED_HEADER, type ExportFormat } from '@/lib/requests/export-url';
import { type Pace, paceTeller } from './export-pace';
import { ExportCounter } from './export-progress';
import type { ExportSink } from './export-sink';
import { failureOfAnswer } from './gateway';

/** How far an export is. */
export type ExportProgress = {
  rows: number;
  bytes: number;
  /** Rows that there will be; undefined when the service gave no total, and before the first answer. */
  expected: number | undefined;
  pace: Pace;
};

export type ExportResult =
  /** `left` and `entered`: how many rows changed their state meanwhile, by the counts. */
  | { kind: 'complete'; rows: number; bytes: number; fileName: string; left: number; entered: number }
  | {
      kind: 'incomplete';
      rows: number;
      bytes: number;
      expected: number | undefined;
      fileName: string;
      problem: string;
    }
  /** Nothing came. */
  | { kind: 'failed'; failure: Failure }
  | { kind: 'cancelled' };

export type DownloadEdges = {
  fetch: (url: string, signal: AbortSignal) => Promise<Response>;
  /** Milliseconds. */
  now(): number;
  /** Runs after `ms` unless the result is called before. */
  after(ms: number, run: () => void): () => void;
};

/** The server itself waits up to a minute and a half for a service before it ends a file. */
const SILENCE_MS = 150_000;

const CUT_OFF = 'The connection to this dashboard’s server was lost before the end.';
const SILENT = 'This dashboard’s server sent nothing more.';

/**
 * Fetches an export into a sink and checks it: the mark at its end must say that it is complete, and as many rows must have
 * come as it says. Whatever came before a failure is kept as an incomplete file; a cancelled one is discarded.
 * @param signal cancels it
 */
export async function downloadExport(
  url: string,
  format: ExportFormat,
  sink: ExportSink,
  onProgress: (progress: ExportProgress) => void,
  signal: AbortSignal,
  edges: DownloadEdges,
): Promise<ExportResult> {
  const silence = new AbortController();
  const both = AbortSignal.any([signal, silence.signal]);
  const patience = patienceOf(edges, () => silence.abort());
  try {
    patience.renew();
    const response = await edges.fetch(url, both);
    if (!response.ok || response.body === null) {
      await sink.discard();
      return { kind: 'failed', failure: failureOfAnswer(await response.text(), response.status) };
    }
    const counter = new ExportCounter(format);
    const expected = countOf(response.headers.get(EXPECTED_HEADER));
    const teller = paceTeller(edges, (pace) =>
      onProgress({ rows: counter.rows, bytes: counter.bytes, expected, pace }),
    );
    const came = () => {
      patience.renew();
      teller.came(counter.rows);
    };
    const trouble = await receive(response.body, counter, sink, came).finally(() => teller.end());
    if (signal.aborted) return await cancelled(sink);
    return await judged(counter, expected, trouble, silence.signal.aborted, sink);
  } catch {
    if (signal.aborted) return cancelled(sink);
    await sink.discard();
    return { kind: 'failed', failure: { kind: 'unreachable', detail: 'No connection.' } };
  } finally {
    patience.end();
  }
}

function patienceOf(edges: DownloadEdges, onEnd: () => void) {
  let stop = () => {};
  return {
    renew() {
      stop();
      stop = edges.after(SILENCE_MS, onEnd);
    },
    end: () => stop(),
  };
}

async function cancelled(sink: ExportSink): Promise<ExportResult> {
  await sink.discard();
  return { kind: 'cancelled' };
}

/** Undefined for anything but digits. */
function countOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** What ended the transfer: `cut` is a lost connection, `disk` a place that takes no more. */
type Trouble = 'none' | 'cut' | { disk: string };

async function receive(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  counter: ExportCounter,
  sink: ExportSink,
  came: () => void,
): Promise<Trouble> {
  const reader = body.getReader();
  for (;;) {
    const next = await reader.read().catch(() => 'cut' as const);
    if (next === 'cut') return 'cut';
    if (next.done) return 'none';
    counter.add(next.value);
    came();
    const disk = await sink.write(next.value).then(
      () => undefined,
      (error: unknown) => ({ disk: error instanceof Error ? error.message : String(error) }),
    );
    if (disk !== undefined) {
      void reader.cancel().catch(() => {});
      return disk;
    }
  }
}

async function judged(
  counter: ExportCounter,
  expected: number | undefined,
  trouble: Trouble,
  wasSilent: boolean,
  sink: ExportSink,
): Promise<ExportResult> {
  const { bytes } = counter;
  const end = trouble === 'none' ? readExportEnd(counter.format, counter.tail) : undefined;
  const rows = end === undefined ? counter.rows : counter.rowsOfWhole;
  const problem =
    typeof trouble === 'object'
      ? `The file cannot be written: ${trouble.disk}`
      : end === undefined
        ? wasSilent
          ? SILENT
          : CUT_OFF
        : problemOf(end, rows);
  if (end !== undefined && problem === undefined) {
    return { kind: 'complete', rows, bytes, left: 0, entered: 0, fileName: await sink.finish('complete') };
  }
  const fileName = await sink.finish('incomplete').catch(() => 'nothing');
  return { kind: 'incomplete', rows, bytes, expected, fileName, problem: problem ?? CUT_OFF };
}

function problemOf(end: { written: number; complete: boolean; problem: string | null }, rows: number) {
  if (rows !== end.written) return `The server wrote ${end.written} rows, and ${rows} arrived.`;
  return end.complete ? undefined : (end.problem ?? 'The server says that rows are missing.');
}

/** Those of this window. */
export const windowDownloadEdges: DownloadEdges = {
  fetch: (url, signal) => fetch(url, { signal, cache: 'no-store' }),
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
