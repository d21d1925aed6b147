import type { CallKey } from './service-gate';

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
