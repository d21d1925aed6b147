import { type IndexState, serviceLabel, serviceState, stateWords } from '@/lib/core/health';
import { countOf } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { MINUTE_MS } from '@/lib/core/time';
import { isLogFresh } from './keeper-problems';
import { newProblem, type Problem, type ProblemInput, type StaleFeed } from './problem';

const INDEX_TROUBLE: Record<Exclude<IndexState, 'ok'>, Pick<Problem, 'level' | 'text'>> = {
  'read-only': { level: 'bad', text: 'read-only' },
  slow: { level: 'bad', text: 'database too slow' },
  busy: { level: 'warning', text: 'all connections to its database busy' },
  away: { level: 'bad', text: 'database does not answer' },
};

/** An index that takes no writes gets no new rows and loses acknowledgements. */
export function storageProblem({ index: [status], indexState }: ProblemInput): Problem[] {
  if (indexState === 'ok') return [];
  const detail = clipped(status?.notes[0] ?? '', 200);
  const { level, text } = INDEX_TROUBLE[indexState];
  return [
    newProblem({ id: 'storage', kind: 'keeper', href: '/services', about: 'Index', level, text, detail }),
  ];
}

const MEMORY_FAILURE_SHOWN_MS = 10 * 60_000;

export function indexProblems({
  nowMs,
  memoryFailures: { count, lastMs },
  triageFailure,
}: ProblemInput): Problem[] {
  const problems: Problem[] = [];
  const about = 'Index';
  if (lastMs !== undefined && nowMs - lastMs < MEMORY_FAILURE_SHOWN_MS) {
    const text = `out of memory, ${countOf(count, 'query', 'queries')} failed since the start`;
    const detail = 'Raise STORE_MEMORY_MB';
    problems.push(
      newProblem({
        id: 'index/memory',
        kind: 'service',
        level: 'bad',
        href: '/services',
        about,
        text,
        detail,
      }),
    );
  }
  if (triageFailure !== undefined) {
    const { sinceMs, detail } = triageFailure;
    const text = 'pending requests are not being examined';
    problems.push(
      newProblem({
        id: 'index/triage',
        kind: 'incident',
        level: 'bad',
        href: '/pending',
        about,
        text,
        sinceMs,
        detail,
      }),
    );
  }
  return problems;
}

/** A service is called again within this time. One late answer may be this server's own lateness. */
const LATE_CONFIRMED_MS = 75_000;

export function serviceProblems(
  { health, index, nowMs }: ProblemInput,
  keepers: readonly Problem[],
): Problem[] {
  return Object.entries(health.services ?? {}).flatMap(([name, service]): Problem[] => {
    const isReported = keepers.some(({ id }) => name === id.replace('keeper/', 'logs:'));
    const isRead = index.some((status) => name === `logs:${status.keeper}` && isLogFresh(status, nowMs));
    if (serviceState(service) !== 'failing' || isReported || isRead) return [];
    const level = name.startsWith('logs:') ? 'bad' : 'warning';
    const { failingSince, kind } = service;
    const sinceMs = failingSince === undefined ? null : Date.parse(failingSince);
    if (kind === 'timeout' && sinceMs !== null && nowMs - sinceMs < LATE_CONFIRMED_MS) return [];
    const shared = { about: serviceLabel(name), text: stateWords(service), sinceMs };
    return [newProblem({ id: `service/${name}`, kind: 'service', level, href: '/services', ...shared })];
  });
}

const NAMED_FEEDS = 3;

export function feedsProblem(feeds: readonly StaleFeed[]): Problem[] {
  if (feeds.length === 0) return [];
  const names = feeds.slice(0, NAMED_FEEDS).map(({ symbol, hasHours }) => {
    return `${clipped(symbol, 40)}${hasHours ? '' : ' (market hours unknown)'}`;
  });
  const hiddenCount = feeds.length - names.length;
  const moments = feeds.map(({ sinceMs }) => sinceMs);
  const isTogether = Math.max(...moments) - Math.min(...moments) <= MINUTE_MS;
  return [
    newProblem({
      id: 'feeds',
      kind: 'feeds',
      level: 'warning',
      text: isTogether ? 'stale' : 'stale, the first',
      href: '/feeds',
      about: countOf(feeds.length, 'feed'),
      sinceMs: Math.min(...moments),
      detail: `${names.join(', ')}${hiddenCount > 0 ? ` and ${hiddenCount} more` : ''}`,
    }),
  ];
}
