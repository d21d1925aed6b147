import type { CallPriority } from './call-budget';

/** A call that has begun. `promote` tells it that a user waits for it too. */
export type StartedCall<T> = { result: Promise<T>; promote(): void };

/** Identical calls at the same time are one call: who comes later waits for the first one's result. */
export type SharedCalls<T> = {
  join(identity: string, priority: CallPriority, start: () => StartedCall<T>): Promise<T>;
};

/**
 * Shares calls while they are under way; nothing is kept afterwards, so this is no cache. A user who joins a
 * background call lends it the user's priority. Bounded by the number of calls under way (the call budget).
 */
export function createSharedCalls<T>(): SharedCalls<T> {
  const underWay = new Map<string, StartedCall<T>>();
  return {
    join(identity, priority, start) {
      const known = underWay.get(identity);
      if (known) {
        if (priority === 'user') known.promote();
        return known.result;
      }
      const started = start();
      const result = started.result.finally(() => underWay.delete(identity));
      underWay.set(identity, { result, promote: started.promote });
      return result;
    },
  };
}
