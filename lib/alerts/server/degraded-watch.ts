import 'server-only';
import { randomUUID } from 'node:crypto';
import { incidentChanges } from '@/lib/alerts/history';
import { type Span, withExamination } from '@/lib/alerts/watched';
import { isOfNetwork } from '@/lib/insights/incident-problems';
import { problemsNow, recentNetworks } from '@/lib/insights/server/problems';
import { triageOf } from '@/lib/pending/server/triage';
import { processWideOf } from '@/lib/platform/process-wide';
import { type Services, services } from '@/lib/services/services';
import { IndexNotWritableError } from '@/lib/store/engine';
import { sightedNetworks } from './degraded';
import { storedSpans, storeSpans } from './watched-spans';

const EVERY_MS = 60_000;

type Watch = { checkedMs: number; missing: Map<string, number> };

const watchOf = processWideOf('degraded-watch', (_: Services): Watch => {
  return { checkedMs: Number.NEGATIVE_INFINITY, missing: new Map() };
});

/** Records degraded networks at most once a minute. @param keepers those whose rows are up to date */
export async function recordDegraded(keepers: ReadonlySet<string>, everyMs = EVERY_MS): Promise<void> {
  const deps = services();
  const watch = watchOf(deps);
  const { index, incidents: store } = deps;
  const nowMs = Math.floor(index.now());
  // After the clock was set back, there is no reason to wait.
  if (!index.isLeader || Math.abs(nowMs - watch.checkedMs) < everyMs) return;
  watch.checkedMs = nowMs;
  const answer = await problemsNow();
  // A network that could not be compared is neither degraded nor recovered.
  const networks = recentNetworks(index);
  if (answer === undefined || networks === undefined) return;
  // Networks may have been compared less often than stuck requests were examined.
  const watched = new Map<string, Span[]>();
  for (const keeper of keepers) {
    watched.set(keeper, withExamination(await storedSpans(index, keeper, 'degraded'), nowMs));
  }
  const stopped = triageOf(index).cached()?.triage.incidents.filter(isOfNetwork) ?? [];
  const isStopped = (keeper: string, networkId: string) =>
    stopped.some((incident) => incident.keeper === keeper && incident.networkId === networkId);
  const { incidents, events } = incidentChanges({
    open: store.openDegraded,
    detected: sightedNetworks(networks, {
      nowMs,
      open: store.openDegraded,
      clockAheadMs: (keeper) => index.reads.clockAheadMs(keeper),
      isStopped,
    }),
    keepers,
    watched,
    nowMs,
    missing: watch.missing,
    newKey: randomUUID,
  });
  await store.changeAsLeader({ incidents, events }).catch((error: unknown) => {
    // The index itself reports that it is not writable.
    if (!(error instanceof IndexNotWritableError)) throw error;
  });
  await storeSpans(index, watched, 'degraded');
}
