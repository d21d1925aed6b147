import { failureOfProblem, readProblem } from '@/lib/contract/codec/problem';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';

/** Longest silence: our server waits for its own call budget between two lines, and for a slow service. */
const PATIENCE_MS = 90_000;
/** No line of ours is longer; whatever is has another sender. */
const LONGEST_LINE = 100_000;

export type LineAsked = {
  signal: AbortSignal;
  /** The lines that came together, in their order. */
  onLines: (lines: string[]) => void;
  fetch?: typeof globalThis.fetch;
};

/**
 * Reads a route of our own that answers line by line (NDJSON). Failures are values, as in `fetchGatewayText`; that the
 * last line came has to be seen from the lines. Rejects only when `signal` is aborted, or by what `onLines` throws.
 */
export async function fetchLines(
  path: string,
  { signal, onLines, fetch = globalThis.fetch }: LineAsked,
): Promise<Outcome<'ended'>> {
  const patience = new AbortController();
  let timer = setTimeout(() => patience.abort(), PATIENCE_MS);
  const renew = () => {
    clearTimeout(timer);
    timer = setTimeout(() => patience.abort(), PATIENCE_MS);
  };
  const either = AbortSignal.any([signal, patience.signal]);
  try {
    const response = await fetch(path, { signal: either, cache: 'no-store' });
    if (!response.ok) return failed(failureOfProblem(readProblem(await response.text(), response.status)));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (reader !== undefined) await readLines(reader, onLines, renew);
    return ok('ended');
  } catch (error) {
    if (signal.aborted) throw error;
    if (patience.signal.aborted) return failed({ kind: 'timeout', detail: 'The answer stopped coming.' });
    return failed({ kind: 'unreachable', detail: 'No connection.' });
  } finally {
    clearTimeout(timer);
  }
}

async function readLines(
  reader: ReadableStreamDefaultReader<string>,
  onLines: (lines: string[]) => void,
  renew: () => void,
): Promise<void> {
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      renew();
      const lines = (rest + (value ?? '')).split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      const full = lines.filter((line) => line !== '');
      if (full.length > 0) onLines(full);
      if (done) return;
      if (rest.length > LONGEST_LINE) throw new TypeError('A line without end.');
    }
  } finally {
    // What is left unread would hold its connection.
    reader.cancel().catch(() => {});
  }
}
