import 'server-only';

/** No further step begins in a turn of the event loop that has taken this long. */
const TURN_MS = 8;

/** Over in the next turn of the event loop, after timers and sockets had theirs. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Runs the steps to their end without keeping the event loop from others. */
export async function inTurns<T>(steps: Generator<unknown, T>): Promise<T> {
  let end = performance.now() + TURN_MS;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (performance.now() < end) continue;
    await nextTurn();
    end = performance.now() + TURN_MS;
  }
}
