import 'server-only';
import type { Outcome } from '@/lib/domain/outcome';
import type { Timers } from '@/lib/upstream/timers';

/** How often a question is put again after our own call budget refused it; each time it waits as long as it is told. */
const MOST_TRIES = 6;
/** Longest wait before one of them, whatever the budget says. */
const LONGEST_WAIT_MS = 30_000;

/**
 * The answer to a question of background work. Our own call budget only slows it down: it is asked again after the
 * seconds that the refusal names, a bounded number of times. Every other failure is the answer. Once `signal` is
 * aborted, what is known stands.
 */
export async function patiently<T>(
  ask: () => Promise<Outcome<T>>,
  { signal, timers }: { signal: AbortSignal; timers: Timers },
): Promise<Outcome<T>> {
  let outcome = await ask();
  for (let tries = 1; tries < MOST_TRIES && !signal.aborted; tries += 1) {
    if (outcome.ok || outcome.failure.kind !== 'too-many') return outcome;
    await pause(Math.min(LONGEST_WAIT_MS, (outcome.failure.retryAfterS ?? 1) * 1000), signal, timers);
    if (!signal.aborted) outcome = await ask();
  }
  return outcome;
}

/** Over after `ms`, or as soon as `signal` is aborted. */
function pause(ms: number, signal: AbortSignal, timers: Timers): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      callOff();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const callOff = timers.after(ms, end);
    signal.addEventListener('abort', end);
  });
}
