import type { Outcome } from '@/lib/domain/outcome';
import type { OpenStream } from './link';
import { readSse } from './sse';
import type { Timers } from './timers';

/** A service sends a comment about every 15 s; a stream that brings nothing in this time does not work. */
const PROBE_LIFE_MS = 20_000;

/**
 * Opens a stream only to see whether it works: whether it brings an update or a comment. Closes it in any case. False
 * also when it was aborted.
 */
export async function probeStream(
  open: () => Promise<Outcome<OpenStream>>,
  timers: Timers,
  signal: AbortSignal,
): Promise<boolean> {
  const opened = await open();
  if (!opened.ok) return false;
  const stream = opened.value;
  const close = () => stream.close();
  const enough = timers.after(PROBE_LIFE_MS, close);
  signal.addEventListener('abort', close, { once: true });
  try {
    if (signal.aborted) return false;
    for await (const item of readSse(stream.body)) {
      if (signal.aborted) return false;
      if (item.kind === 'comment' || (item.kind === 'event' && item.event !== 'error')) return true;
    }
    return false;
  } catch {
    // A body throws when the connection breaks: then it doesn't work.
    return false;
  } finally {
    timers.clear(enough);
    signal.removeEventListener('abort', close);
    stream.close();
  }
}
