import 'server-only';
import type { Failure, Outcome } from '@/lib/domain/outcome';

/** Waiting and chance, injected so that tests need neither. */
export type WaitEdges = {
  /** Ends after `ms`, or at once when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1: keeps several exports from asking at the same moment. */
  random(): number;
};

/** How often a call is made in all, and the longest wait that a failure may ask for. */
export type Patience = { attempts: number; longestWaitS: number };

/** For the first answers, while the client waits for a status: then it is told to come back itself. */
export const SHORT_PATIENCE: Patience = { attempts: 2, longestWaitS: 2 };

/**
 * Once rows flow: outages of a quarter of a minute are sat out, and so is a wait that the service names, up to 50 s,
 * since proxies cut an answer that is silent for 60.
 */
export const LONG_PATIENCE: Patience = { attempts: 6, longestWaitS: 50 };

const FIRST_WAIT_MS = 500;
const LONGEST_OWN_WAIT_MS = 8000;

const TRANSIENT: ReadonlySet<Failure['kind']> = new Set([
  'failing',
  'timeout',
  'rate-limited',
  'too-many',
  'unreachable',
]);

/**
 * Makes a call again while it fails in a way that passes, after the wait that the failure names, else after 0.5, 1, 2, 4
 * and 8 s. The last failure is the answer when patience ends, or when the signal is aborted.
 */
export async function askPatiently<T>(
  call: () => Promise<Outcome<T>>,
  patience: Patience,
  edges: WaitEdges,
  signal: AbortSignal,
): Promise<Outcome<T>> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await call();
    if (outcome.ok || signal.aborted || attempt >= patience.attempts) return outcome;
    const waitMs = waitOf(outcome.failure, attempt, edges.random());
    if (waitMs === undefined || waitMs > (patience.longestWaitS + 1) * 1000) return outcome;
    await edges.wait(waitMs, signal);
    if (signal.aborted) return outcome;
  }
}

/** Undefined where asking again would not help. */
function waitOf(failure: Failure, attempt: number, random: number): number | undefined {
  if (!TRANSIENT.has(failure.kind)) return undefined;
  if (failure.retryAfterS !== undefined) return (failure.retryAfterS + random) * 1000;
  return Math.min(LONGEST_OWN_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (1 + random / 4);
}

/** The process's own timers. */
export const realWaits: WaitEdges = {
  random: Math.random,
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end, { once: true });
    }),
};
