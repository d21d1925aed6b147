import type { OpenedStream } from './exchange';

/** An open stream. Times are unix milliseconds. */
export type OpenStreamState = {
  openedAtMs: number;
  /** Ids that it was asked for. */
  feeds: number;
  /** When its last byte came; absent before the first. */
  lastByteAtMs?: number;
};

/** How a stream came to its end: we closed it, the service ended it in good order, or the connection broke. */
export type StreamEnd = 'closed-here' | 'ended-by-service' | 'broken';

/** The streams of one host since the process began. */
export type StreamStatistics = {
  /** Those that are open, the oldest first. */
  open: OpenStreamState[];
  opened: number;
  ends: Record<StreamEnd, number>;
  /** The last end that was not ours. */
  lastEnd?: { end: StreamEnd; atMs: number; lastedMs: number };
};

export type StreamRecord = {
  /** The same stream, watched from now on until it ends, is closed, or its signal is aborted. */
  watch(stream: OpenedStream, query: string | undefined, signal: AbortSignal | undefined): OpenedStream;
  read(): StreamStatistics;
};

/** Keeps account of the streams of one host. @param now unix milliseconds */
export function createStreamRecord(now: () => number): StreamRecord {
  const open = new Set<OpenStreamState>();
  const ends: Record<StreamEnd, number> = { 'closed-here': 0, 'ended-by-service': 0, broken: 0 };
  let opened = 0;
  let lastEnd: StreamStatistics['lastEnd'];

  const finish = (state: OpenStreamState, end: StreamEnd) => {
    if (!open.delete(state)) return;
    ends[end] += 1;
    if (end !== 'closed-here') lastEnd = { end, atMs: now(), lastedMs: now() - state.openedAtMs };
  };

  return {
    watch(stream, query, signal) {
      const state: OpenStreamState = { openedAtMs: now(), feeds: feedsIn(query) };
      opened += 1;
      open.add(state);
      const closedHere = () => finish(state, 'closed-here');
      signal?.addEventListener('abort', closedHere, { once: true });
      const over = (end: StreamEnd) => {
        signal?.removeEventListener('abort', closedHere);
        finish(state, end);
      };
      return {
        body: watched(stream.body, state, now, over),
        close() {
          over('closed-here');
          stream.close();
        },
      };
    },
    read: () => ({
      open: [...open].map((state) => ({ ...state })),
      opened,
      ends: { ...ends },
      lastEnd,
    }),
  };
}

async function* watched(
  body: AsyncIterable<Uint8Array>,
  state: OpenStreamState,
  now: () => number,
  over: (end: StreamEnd) => void,
): AsyncGenerator<Uint8Array> {
  let end: StreamEnd = 'closed-here';
  try {
    for await (const piece of body) {
      state.lastByteAtMs = now();
      yield piece;
    }
    end = 'ended-by-service';
  } catch (error) {
    end = 'broken';
    throw error;
  } finally {
    over(end);
  }
}

function feedsIn(query: string | undefined): number {
  return new URLSearchParams(query).getAll('ids[]').length;
}
