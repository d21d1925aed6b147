import 'server-only';
import { quietOf, targetKey } from '@/lib/alerts/acknowledge';
import { problemOf } from '@/lib/core/problem';
import { feedCurrency } from '@/lib/feeds/feed-cadence';
import { knownFeeds } from '@/lib/feeds/server/feed-directory';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import type { NetworkInsight } from '@/lib/insights/answer';
import { type ProblemsAnswer, problemsOf, type StaleFeed, syncingOf } from '@/lib/insights/problems';
import { USUAL_INSIGHTS } from '@/lib/insights/view';
import { triageOf } from '@/lib/pending/server/triage';
import { processWideOf } from '@/lib/server/process-wide';
import { jsonReply, problemReply } from '@/lib/server/reply';
import { currentHealth } from '@/lib/server/service-report';
import { type Services, services, startedServices } from '@/lib/server/services';
import { openHub } from '@/lib/server/streams';
import type { IndexStore } from '@/lib/store/store';
import { insightsOf } from './answers';

/** Looked at so often while nobody asks, so that it is known since when all is quiet. */
const WATCH_MS = 60_000;

/** Since when there has been no problem, to a minute, as far back as this process has looked. */
const calmOf = processWideOf('quiet', (of: IndexStore): { sinceMs: number | null } => {
  const timer = setInterval(() => {
    if (startedServices()?.index === of) problemsNow().catch(() => undefined);
    else clearInterval(timer);
  }, WATCH_MS).unref();
  return { sinceMs: null };
});

/** `GET /api/view/insights/problems`: what is wrong now, worst first, of all keepers and services. */
export async function replyWithProblems(): Promise<Response> {
  const answer = await problemsNow();
  if (answer !== undefined) return jsonReply(answer);
  return problemReply(
    problemOf({ kind: 'unconfigured', service: 'logs', detail: 'No service is configured.' }),
  );
}

/** Undefined when no service is configured. */
export async function problemsNow(): Promise<ProblemsAnswer | undefined> {
  const all = services();
  const { index, keepers, hosts } = all;
  if (hosts.length === 0) return undefined;
  const [triage, networks] = await Promise.all([triageOf(index).now(), unusualNetworks(all)]);
  const nowMs = index.now();
  const { missing, unreadable } = triage.triage;
  const quiet = quietOf(triage.triage, all.incidents.acknowledgements, triage.atMs);
  const isQuiet = (kind: 'incident' | 'request', id: string) => quiet.has(targetKey({ kind, id }));
  const problems = problemsOf({
    nowMs,
    keepers,
    index: triage.index,
    incidents: triage.triage.incidents.filter(({ id }) => !isQuiet('incident', id)),
    singles: triage.triage.singles.filter(({ key }) => !isQuiet('request', key)),
    status: triage.status,
    isWhole: triage.state === 'complete' && missing + unreadable === 0,
    health: currentHealth(),
    feeds: staleFeeds(all),
    networks,
  });
  const syncing = syncingOf(triage.index);
  const calm = calmOf(index);
  calm.sinceMs = problems.length + syncing.length > 0 ? null : (calm.sinceMs ?? nowMs);
  return {
    revision: triage.revision,
    atMs: nowMs,
    problems,
    syncing,
    acknowledged: quiet.size,
    quietSinceMs: calm.sinceMs,
  };
}

/** None where the index can't be asked: what is wrong then is told by others. */
async function unusualNetworks({ keepers }: Services): Promise<NetworkInsight[]> {
  if (keepers.length === 0) return [];
  const answer = await insightsOf(USUAL_INSIGHTS, ['networks']);
  return answer.ok ? (answer.value.networks ?? []) : [];
}

/** Feeds that somebody watches, or that the settings name, by their last update. */
export function staleFeeds({ settings }: Services): (StaleFeed & { id: string })[] {
  const nowMs = Date.now();
  const floors = { lateS: settings.feedLateS, staleS: settings.feedStaleS };
  const texts = openHub()?.lastTexts ?? [];
  const directory = new Map(knownFeeds().map((entry) => [entry.id, entry]));
  return texts.flatMap(([id, text]) => {
    const { t, pp } = JSON.parse(text) as CompactFeed;
    const entry = directory.get(id);
    const { word } = feedCurrency({ latestS: t, ticks: [{ t, pp }], nowMs, floors, market: entry });
    return word === 'stale' ? [{ id, symbol: entry?.symbol ?? id, sinceMs: t * 1000 }] : [];
  });
}
