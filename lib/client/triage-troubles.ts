import type { TriageAnswer } from '@/lib/contract/codec/triage';

type Trouble = TriageAnswer['troubles'][number];

/** What a keeper did not answer for one reason. */
export type SameTrouble = {
  key: string;
  keeper: string;
  failure: Trouble['failure'];
  /** What was asked, of which network. Never empty. */
  places: Pick<Trouble, 'what' | 'networkId'>[];
  /** Unix ms: of when is what is shown instead; undefined where nothing is. */
  kept: { fromMs: number; untilMs: number } | undefined;
};

/** Puts together what failed at the same keeper in the same way, in the order in which each was met first. */
export function sameTroubles(troubles: readonly Trouble[]): SameTrouble[] {
  const groups = new Map<string, SameTrouble>();
  for (const { keeper, what, networkId, failure, keptFromMs } of troubles) {
    // How many seconds were left differs with the moment of the question, and says nothing of the reason.
    const reason = { ...failure, retryAfterS: undefined };
    const key = JSON.stringify([keeper, reason, keptFromMs === undefined]);
    const place = networkId === undefined ? { what } : { what, networkId };
    const span = keptFromMs === undefined ? undefined : { fromMs: keptFromMs, untilMs: keptFromMs };
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { key, keeper, failure, places: [place], kept: span });
    else {
      group.places.push(place);
      if (group.kept !== undefined && span !== undefined) {
        group.kept.fromMs = Math.min(group.kept.fromMs, span.fromMs);
        group.kept.untilMs = Math.max(group.kept.untilMs, span.untilMs);
      }
    }
  }
  return [...groups.values()];
}
