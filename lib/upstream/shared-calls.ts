import type { CallPriority } from './call-budget';

/** A call that has begun. `promote` tells it that a user waits for it too. */
export type StartedCall<T> = { result: Promise<T>; promote(): void };

/** Identical calls at the same time are one call: who comes later waits for the first one's result. */
export type SharedCalls<T> = {
  join(identity: string, priority: CallPriority, start: () => StartedCall<T>): Promise<T>;
};

/** Where a call stands while it is under way. */
type Place<T> = { call: StartedCall<T> | undefined };

/**
 * Shares calls while they are under way; nothing is kept afterwards, so this is no cache. A user who joins a
 * background call lends it the user's priority. Bounded by the number of calls under way (the call budget).
 *
 * A place is emptied when its call is over: a Map that changes often leaves old tables behind, each with what it held
 * and with the way to the next one, and the answers in them would live until the next full garbage collection.
 */
export function createSharedCalls<T>(): SharedCalls<T> {
  const underWay = new Map<string, Place<T>>();
  return {
    join(identity, priority, start) {
      const known = underWay.get(identity)?.call;
      if (known) {
        if (priority === 'user') known.promote();
        return known.result;
      }
      const started = start();
      const place: Place<T> = { call: undefined };
      const result = started.result.finally(() => {
        underWay.delete(identity);
        place.call = undefined;
      });
      place.call = { result, promote: started.promote };
      underWay.set(identity, place);
      return result;
    },
  };
}
