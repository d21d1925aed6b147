import 'server-only';
import { type Outcome, ok } from '@/lib/core/outcome';
import type { OpenStream } from '@/lib/feeds/server/upstream-streams';

/**
 * The same stream, and how long each of its pieces took to be passed on: whoever reads it takes the next piece when the
 * one before is with all readers.
 * @param passedOn hears the time from the coming of a piece to the wish for the next one, ms
 */
export function timedStream(
  opened: Outcome<OpenStream>,
  passedOn: ((ms: number) => void) | undefined,
  elapsed: () => number = () => performance.now(),
): Outcome<OpenStream> {
  if (!opened.ok || passedOn === undefined) return opened;
  return ok({ ...opened.value, body: timedPieces(opened.value.body, passedOn, elapsed) });
}

async function* timedPieces(
  body: AsyncIterable<Uint8Array>,
  passedOn: (ms: number) => void,
  elapsed: () => number,
): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    const cameAt = elapsed();
    yield piece;
    passedOn(elapsed() - cameAt);
  }
}
