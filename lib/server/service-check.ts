import 'server-only';
import type { Outcome } from '@/lib/core/outcome';
import { builtInFeeds } from '@/lib/core/registry';
import type { CheckReport } from '@/lib/core/service-report';
import type { HttpService } from '@/lib/upstream/http-service';
import { processWide } from './process-wide';
import { type Services, services } from './services';

type Checks = {
  of: Services;
  reports: Map<string, CheckReport>;
  /** The check that is under way. */
  running?: Promise<void>;
  /** When the last one began, unix ms. */
  beganAtMs: number;
};

const kept = processWide<Checks>('service-checks');

/** However many people press the button, each service is asked at most so often. */
const LEAST_GAP_MS = 2000;

/** The last answer of each service to a check, by label. Of services that were started again nothing is known. */
export function lastChecks(of: Services): ReadonlyMap<string, CheckReport> {
  return checksOf(of).reports;
}

function checksOf(of: Services): Checks {
  const known = kept.get();
  if (known?.of === of) return known;
  const fresh: Checks = { of, reports: new Map(), beganAtMs: Number.NEGATIVE_INFINITY };
  kept.set(fresh);
  return fresh;
}

/**
 * Asks every service one cheap question, all at once, as a user's call of the budget. Who asks while a check is under
 * way waits for that one; right after one nothing is asked anew. Never fails: the answers stand in `lastChecks`.
 */
export function checkServices(of: Services = services(), now: () => number = Date.now): Promise<void> {
  const checks = checksOf(of);
  if (checks.running) return checks.running;
  if (now() - checks.beganAtMs < LEAST_GAP_MS) return Promise.resolve();
  checks.beganAtMs = now();
  const questions = questionsFor(of).map(async ({ http, ask }) => {
    const { pause, calls } = http.standing();
    const outcome = await ask();
    // A refusal of ours reads like the answer that led to it.
    const isMade = pause === undefined && http.standing().calls.sent > calls.sent;
    checks.reports.set(http.identity.label, reportOf(outcome, isMade ? 'made' : 'held-back', now()));
  });
  checks.running = Promise.all(questions).then(() => {
    checks.running = undefined;
  });
  return checks.running;
}

type Question = { http: HttpService; ask: () => Promise<Outcome<unknown>> };

/** The smallest question that each service answers. One that it refuses with a reason shows as well that it works. */
function questionsFor({ logs, updates, upgraded, router }: Services): Question[] {
  const keepers = [...logs.values()].map((client) => ({
    http: client.http,
    ask: () => client.logs('limit=1', 'user'),
  }));
  const prices = [updates, upgraded].flatMap((client) =>
    client === undefined ? [] : [{ http: client.http, ask: () => client.latest(ONE_FEED, 'user') }],
  );
  if (router === undefined) return [...keepers, ...prices];
  const { http, symbolsHttp } = router;
  const symbols = { http: symbolsHttp, ask: () => router.symbols('', 'user') };
  return [
    ...keepers,
    ...prices,
    { http, ask: () => router.latestPrice(ONE_PRICE, 'user') },
    ...(symbolsHttp === http ? [] : [symbols]),
  ];
}

const ONE_FEED = new URLSearchParams([
  ['ids[]', builtInFeeds()[0]?.id ?? ''],
  ['ignore_invalid_price_ids', 'true'],
]).toString();

/** Every feed can be asked for on the slowest channel. */
const ONE_PRICE = JSON.stringify({
  channel: 'fixed_rate@1000ms',
  priceFeedIds: [1],
  properties: ['price'],
  formats: [],
});

function reportOf(outcome: Outcome<unknown>, call: CheckReport['call'], atMs: number): CheckReport {
  if (outcome.ok) return { atMs, outcome: 'ok', call: 'made' };
  const { kind, detail } = outcome.failure;
  const ours = kind === 'too-many' || kind === 'bad-request';
  return { atMs, outcome: kind, detail, call: ours ? 'held-back' : call };
}
