import type { Timers } from './timers';

/** Why a call may not go out now. `retryAfterS` counts down to the moment when it may. */
export type GateRefusal = {
  kind: 'rate-limited' | 'failing' | 'unauthorized';
  upstreamStatus: number;
  retryAfterS: number;
};

/**
 * Whether a route needs the key. `optional`: it is sent, but a key that another route rejects may still do here,
 * and being answered here proves nothing about the key.
 */
export type KeyUse = 'needed' | 'optional';

/** The key of one call. */
export type CallKey = { key: string | undefined; use: KeyUse };

export type ServiceGate = {
  /** The reason why no call may go out with this key now, if there is one. */
  refusal(call: CallKey): GateRefusal | undefined;
  /** Like `refusal`, and takes the one try a minute that a rejected key has. Ask right before sending. */
  admit(call: CallKey): GateRefusal | undefined;
  /** The service asked for a pause. */
  pause(kind: 'rate-limited' | 'failing', upstreamStatus: number, seconds: number): void;
  /** The service rejected the key (401). */
  keyRejected(call: CallKey, upstreamStatus: number): void;
  /** The service answered as if the key is good. */
  keyAccepted(call: CallKey): void;
};

type Rejection = { key: string | undefined; upstreamStatus: number; until: number; order: number };

/** A rejected key is tried once a minute: often enough to notice that it was allowed again. */
const KEY_RETRY_MS = 60_000;

/**
 * What a service told us once holds for every caller at once: nobody calls before `Retry-After` is over, and
 * a rejected key is tried at most once a minute. A changed key (rotated file) is tried at once.
 */
export function createServiceGate(timers: Timers): ServiceGate {
  let hold: { kind: 'rate-limited' | 'failing'; upstreamStatus: number; until: number } | undefined;
  const rejections = new Map<KeyUse, Rejection>();
  // Calls and rejections in their order: an answer to a call that went out before a rejection says nothing about it.
  let order = 0;
  const admittedAs = new WeakMap<CallKey, number>();

  const secondsTo = (until: number) => Math.max(1, Math.ceil((until - timers.elapsed()) / 1000));
  const isAhead = (until: number) => timers.elapsed() < until;
  const rejectionOf = ({ key, use }: CallKey) => {
    const rejection = rejections.get(use);
    return rejection?.key === key ? rejection : undefined;
  };

  const refusal = (call: CallKey): GateRefusal | undefined => {
    if (hold && isAhead(hold.until)) {
      const { kind, upstreamStatus, until } = hold;
      return { kind, upstreamStatus, retryAfterS: secondsTo(until) };
    }
    const rejection = rejectionOf(call);
    if (!rejection || !isAhead(rejection.until)) return undefined;
    const { upstreamStatus, until } = rejection;
    return { kind: 'unauthorized', upstreamStatus, retryAfterS: secondsTo(until) };
  };

  return {
    refusal,
    admit(call) {
      const refused = refusal(call);
      const rejection = rejectionOf(call);
      if (!refused && rejection) rejection.until = timers.elapsed() + KEY_RETRY_MS;
      if (!refused) admittedAs.set(call, ++order);
      return refused;
    },
    pause(kind, upstreamStatus, seconds) {
      const until = timers.elapsed() + seconds * 1000;
      // Answers to calls that were already under way may come out of order: the longest pause counts.
      if (!hold || until > hold.until) hold = { kind, upstreamStatus, until };
    },
    keyRejected({ key, use }, upstreamStatus) {
      rejections.set(use, { key, upstreamStatus, until: timers.elapsed() + KEY_RETRY_MS, order: ++order });
    },
    keyAccepted(call) {
      const rejection = rejections.get(call.use);
      const isOlder = rejection !== undefined && (admittedAs.get(call) ?? order) < rejection.order;
      if (!isOlder) rejections.delete(call.use);
    },
  };
}

/** What a service last said of a key. */
export type KeyVerdict = {
  verdict: 'accepted' | 'refused';
  upstreamStatus: number;
  /** Unix milliseconds. */
  atMs: number;
};

/** Remembers what the service last said of the key that is in use; of a key that was replaced nothing is known. */
export function createKeyVerdict(now: () => number): {
  learn(upstreamStatus: number, call: CallKey): void;
  of(call: Pick<CallKey, 'key'>): KeyVerdict | undefined;
} {
  let last: (KeyVerdict & { key: string | undefined }) | undefined;
  return {
    learn(upstreamStatus, { key, use }) {
      const refused = upstreamStatus === 401 || upstreamStatus === 403;
      // A route that needs no key proves nothing by its success, nor does a limit or a fault of the service.
      const accepted = upstreamStatus < 300 || (upstreamStatus >= 400 && upstreamStatus < 500);
      if (!refused && (!accepted || upstreamStatus === 429 || use === 'optional')) return;
      last = { key, verdict: refused ? 'refused' : 'accepted', upstreamStatus, atMs: now() };
    },
    of({ key }) {
      if (last === undefined || last.key !== key) return undefined;
      const { verdict, upstreamStatus, atMs } = last;
      return { verdict, upstreamStatus, atMs };
    },
  };
}
