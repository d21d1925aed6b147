import 'server-only';
import { LRUCache } from 'lru-cache';
import { problemReply } from '@/lib/access/reply';
import { badRequest, type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { failureProblem } from '@/lib/core/problem';
import { DAY_MS, formatIsoMillis } from '@/lib/core/time';
import { type Insights, PANELS, type PanelName, readInsights } from '@/lib/insights/insights-response';
import { formatInsightsQuery, type InsightsView, insightSpanMs, parseInsightsUrl } from '@/lib/insights/view';
import { stuckRowsAt } from '@/lib/pending/server/triage';
import { isPendingRead, STALE_AFTER_MS } from '@/lib/requests/keeper-status';
import { indexReply, indexText } from '@/lib/requests/server/requests-endpoint';
import { bucketsFor } from '@/lib/requests/server/summary';
import { defaultRequestsView } from '@/lib/requests/view';
import { services } from '@/lib/services/services';
import type { StuckRowsAt } from '@/lib/store/queries/insights';
import type { IndexStore } from '@/lib/store/store';
import { MAKE_PANEL, type PanelInput, type PanelKeeper } from './panels';

export type InsightDeps = {
  store: IndexStore;
  stuckRows: StuckRowsAt;
};

function processDeps(): InsightDeps {
  return { store: services().index, stuckRows: stuckRowsAt };
}

/**
 * `GET /api/view/insights?range=…&keeper=…&network=…`, with `panel` (repeatable) for single panels. A view is
 * computed at most once in ten seconds; a client that already has it gets 304.
 */
export async function replyWithInsights(request: Request, deps = processDeps()): Promise<Response> {
  const parsed = readParams(new URL(request.url).searchParams, deps.store);
  if (!parsed.ok) return problemReply(failureProblem(parsed.failure));
  const { view, panels } = parsed.value;
  const cached = cacheOf(deps.store).view(view, deps);
  return indexReply(request, `${cached.name} ${panels}`, () => textOf(cached, panels, deps.store));
}

/** Insights for pages that the server renders. */
export async function viewInsights(
  view: InsightsView,
  panels: readonly PanelName[],
  deps = processDeps(),
): Promise<Outcome<Insights>> {
  const cached = cacheOf(deps.store).view(view, deps);
  const text = await indexText(() => textOf(cached, panels, deps.store));
  return text.ok ? readInsights(text.value) : text;
}

async function textOf(
  cached: CachedView,
  panels: readonly PanelName[],
  store: IndexStore,
): Promise<Outcome<string>> {
  const cache = cacheOf(store);
  if (cached.isCounting) return ok(`{${cached.head}}`);
  const texts = await Promise.all(panels.map((panel) => cache.panel(cached, panel)));
  return texts.includes(undefined) ? failed(TOO_MANY) : ok(`{${[cached.head, ...texts].join(',')}}`);
}

const TOO_MANY: Failure = {
  kind: 'too-many',
  detail: 'Too many figures are being computed at the moment.',
  retryAfterS: 2,
};

/** Unreadable parameters are refused. */
function readParams(
  params: URLSearchParams,
  store: IndexStore,
): Outcome<{ view: InsightsView; panels: PanelName[] }> {
  const names = store.keepers.map(({ name }) => name);
  if (names.length === 0) {
    return failed({ kind: 'unconfigured', service: 'logs', detail: 'LOGS_URL is not set.' });
  }
  const { view, problems } = parseInsightsUrl(params, ['panel']);
  const [wrong] = problems;
  if (wrong !== undefined) return badRequest(`${wrong.param}: ${wrong.message}`);
  if (view.keepers.some((keeper) => !names.includes(keeper))) {
    return badRequest(`keeper must be one of ${names.join(', ')}.`);
  }
  const chosen = params.getAll('panel');
  if (chosen.some((name) => !PANELS.some((panel) => panel === name))) {
    return badRequest(`panel must be one of ${PANELS.join(', ')}.`);
  }
  return ok({ view, panels: PANELS.filter((panel) => chosen.length === 0 || chosen.includes(panel)) });
}

/** Figures at one moment, with the panels requested so far. */
type CachedView = {
  name: string;
  /** When it was made, by the clock of the store, unix ms. */
  madeMs: number;
  input: PanelInput;
  /** The index has no rows to count yet. */
  isCounting: boolean;
  /** Members of the answer that are not panels, as text. */
  head: string;
  panels: Map<PanelName, Promise<string>>;
};

const CACHE_TTL_MS = 10_000;
/** Each view takes a few hundred kilobytes at most. */
const MAX_CACHED_VIEWS = 100;
/** Limit of waiting panels; further ones are refused. */
const MAX_WAITING = 40;

/** Panels are computed one after the other, so that connections remain for the lists of rows. */
class InsightCache {
  readonly #views = new LRUCache<string, CachedView>({ max: MAX_CACHED_VIEWS });
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  view(view: InsightsView, deps: InsightDeps): CachedView {
    const nowMs = deps.store.now();
    const isCounting = deps.store.isCounting(keepersOf(view, deps.store));
    const key = `${deps.store.epoch} ${isCounting} ${formatInsightsQuery(view)}`;
    const previousView = this.#views.get(key);
    const ageMs = nowMs - (previousView?.madeMs ?? Number.NaN);
    if (previousView && ageMs >= 0 && ageMs < CACHE_TTL_MS) return previousView;
    const cached = begin(view, key, deps, nowMs);
    this.#views.set(key, cached);
    return cached;
  }

  /** Computed once, and again after a failure. Undefined if the queue is full. */
  panel({ panels, input }: CachedView, panel: PanelName): Promise<string> | undefined {
    const before = panels.get(panel);
    if (before !== undefined) return before;
    if (this.#waiting >= MAX_WAITING) return undefined;
    this.#waiting += 1;
    const text = this.#last
      .then(() => MAKE_PANEL[panel](input))
      .then((figures) => `${JSON.stringify(panel)}:${JSON.stringify(figures)}`)
      .finally(() => {
        this.#waiting -= 1;
      });
    this.#last = text.catch(() => panels.delete(panel));
    panels.set(panel, text);
    return text;
  }
}

const caches = new WeakMap<IndexStore, InsightCache>();

function cacheOf(store: IndexStore): InsightCache {
  const cache = caches.get(store) ?? new InsightCache();
  caches.set(store, cache);
  return cache;
}

/** A span has 48 to 73 buckets, depending on its length. */
const MAX_BUCKETS = 75;
/** Rows arriving within a step don't change the figures of its moment. */
const STEP_MS = 2000;
const WEEK_MS = 7 * DAY_MS;

function begin(view: InsightsView, key: string, deps: InsightDeps, nowMs: number): CachedView {
  const { store } = deps;
  const { revision } = store;
  const names = keepersOf(view, store);
  const isCounting = store.isCounting(names);
  const latestMs = store.reads.latestMs(names, STEP_MS);
  const { between } = view;
  const nowOrEarlierMs = store.reads.rangeEndMs(latestMs, names);
  const { fromMs: startMs, toMs: endMs } = spanUntil(view, nowOrEarlierMs);
  const lengthMs = endMs - startMs;
  const { fromMs, bucketMs, buckets: count } = bucketsFor(startMs, endMs, MAX_BUCKETS);
  const keepers = panelKeepers(view, store, latestMs);
  const isCovered = coverageOf(names, keepers, store);
  const covered = {
    span: startMs <= nowOrEarlierMs && isCovered(startMs, endMs),
    // A part of the span is not comparable either.
    before: isCovered(startMs - lengthMs, endMs),
    week: isCovered(startMs - WEEK_MS, startMs),
  };
  const head: Omit<Insights, PanelName> = {
    range: between === undefined ? view.range : null,
    revision,
    asof: formatIsoMillis(latestMs),
    ...(isCounting ? { counting: true } : {}),
    ...(isPendingKnown(names, store) ? {} : { pendingUnread: true }),
    startMs,
    endMs,
    buckets: { fromMs, bucketMs, count },
    covered,
    logBeginsMs: logBeginsMs(names, store),
  };
  return {
    name: `${key} ${revision} ${latestMs} ${nowMs}`,
    madeMs: nowMs,
    isCounting,
    head: JSON.stringify(head).slice(1, -1),
    panels: new Map(),
    input: {
      store,
      query: {
        view: { ...defaultRequestsView(), networks: view.networks },
        keeperIds: keepers.map(({ keeperId }) => keeperId),
        visibleUs: latestMs * 1000,
      },
      fromUs: startMs * 1000,
      ...(between === undefined ? {} : { toUs: endMs * 1000 }),
      beforeUs: (startMs - lengthMs) * 1000,
      buckets: { fromUs: fromMs * 1000, bucketUs: bucketMs * 1000, count },
      covered,
      keepers,
      stuck: deps.stuckRows(latestMs),
    },
  };
}

/** Whether the pending requests of all these keepers have been read. */
function isPendingKnown(names: readonly string[], store: IndexStore): boolean {
  return store.status().every((status) => !names.includes(status.keeper) || isPendingRead(status));
}

/** A keeper not read up to the end of a time may have served more rows of it. */
function coverageOf(names: readonly string[], keepers: readonly PanelKeeper[], store: IndexStore) {
  const readMs = names.map((name) => store.reads.readUpToMs(name) ?? Number.NEGATIVE_INFINITY);
  return (sinceMs: number, untilMs: number): boolean =>
    readMs.every((ms) => ms >= untilMs - STALE_AFTER_MS) &&
    keepers.every(({ coveredFromUs }) => coveredFromUs === null || coveredFromUs <= sinceMs * 1000);
}

/** Unix ms. A span that has not ended ends now, because its future has no figures. */
function spanUntil(view: InsightsView, nowMs: number): { fromMs: number; toMs: number } {
  const { between } = view;
  if (between === undefined) return { fromMs: nowMs - insightSpanMs(view), toMs: nowMs };
  const { fromMs, toMs } = between;
  return { fromMs, toMs: fromMs < nowMs ? Math.min(toMs, nowMs) : toMs };
}

/** Start of the youngest log among these keepers, unix ms; null if older rows of all are unread. */
function logBeginsMs(names: readonly string[], store: IndexStore): number | null {
  const begins = store
    .status()
    .flatMap(({ keeper, coversAll, coveredFromMs }) =>
      coversAll && names.includes(keeper) ? (coveredFromMs ?? []) : [],
    );
  return begins.length === 0 ? null : Math.max(...begins);
}

const keepersOf = ({ keepers }: InsightsView, store: IndexStore) =>
  keepers.length === 0 ? store.keepers.map(({ name }) => name) : keepers;

function panelKeepers({ keepers }: InsightsView, store: IndexStore, nowMs: number): PanelKeeper[] {
  return store.status().flatMap(({ keeper, syncedAtMs, coversAll, coveredFromMs }) => {
    const [keeperId] = store.keeperIds([keeper]);
    if (keeperId === undefined || (keepers.length > 0 && !keepers.includes(keeper))) return [];
    // The time is by the clock of the keeper, which also dates its rows.
    const clockMs = Math.min(syncedAtMs ?? nowMs, nowMs) + store.reads.clockAheadMs(keeper);
    const syncedUs = Math.floor(clockMs * 1000);
    return [
      {
        keeperId,
        syncedUs,
        staleReadUs:
          syncedAtMs !== null && store.now() - syncedAtMs > STALE_AFTER_MS
            ? Math.floor(syncedAtMs * 1000)
            : null,
        coveredFromUs: coversAll ? null : (coveredFromMs ?? Infinity) * 1000,
        logBeginsUs: coversAll && coveredFromMs !== null ? coveredFromMs * 1000 : null,
      },
    ];
  });
}
