/** Waits between attempts to load a part of the page: they double, up to a quarter of a minute. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

/**
 * Loads a part of the page that comes on demand, again and again until it is there: without a network the page goes on
 * without that part, instead of breaking as a whole. Never rejects.
 */
export async function loadAgain<T>(
  load: () => Promise<T>,
  setTimer: (run: () => void, ms: number) => unknown = setTimeout,
): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await load();
    } catch {
      const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
      await new Promise<void>((resolve) => setTimer(resolve, waitMs));
    }
  }
}
