import 'server-only';
import type { FeedDirectory } from '@/lib/core/feed';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import type { RouterSymbols } from '@/lib/core/router-price';
import { log } from './log';
import { processWide } from './process-wide';
import { type Services, services } from './services';

/** What is asked of the services that list feeds. */
export type ListServices = {
  updates?: Pick<NonNullable<Services['updates']>, 'directory'> | undefined;
  router?: Pick<NonNullable<Services['router']>, 'symbols'> | undefined;
};

/** The last answer of a service to the question for its list, and its last good answer with the unix ms of its arrival. */
export type KeptList<T> = { answer: Outcome<T>; good?: { value: T; atMs: number } };

/** The lists of both services, each on its own: one is not waited for with the other. Absent: not configured. */
export type PriceLists = {
  router?: Promise<KeptList<RouterSymbols>>;
  updates?: Promise<KeptList<FeedDirectory>>;
};

/** Feeds are added now and then, not by the minute. */
const KEEP_MS = 10 * 60_000;

/** After a failure: soon enough to notice that the service is back, and no burden to it. */
const KEEP_FAILED_MS = 30_000;

/**
 * No service lists nearly as many feeds. Whatever names a feed looks through the list, so one of a hundred thousand would hold
 * everybody up for seconds at each page.
 */
const MOST_FEEDS = 20_000;

type Held<T> = {
  /** Services that are started again are asked again. */
  client: unknown;
  list: Promise<KeptList<T>>;
  untilMs: number;
};

type HeldLists = { router?: Held<RouterSymbols>; updates?: Held<FeedDirectory> };

const kept = processWide<HeldLists>('price-lists');

/**
 * What the router's `/v1/symbols` and the price update service's `/v2/price_feeds` list, for everything that names feeds:
 * each is asked once for all callers, in the background, and its answer is kept for a while. Never fails; a service that
 * fails is asked again soon, and what it listed before is still there.
 */
export function priceLists({ router, updates }: ListServices = services(), clock = Date.now): PriceLists {
  const held = kept.get() ?? {};
  const next: HeldLists = {
    router: router && heldList(held.router, router, () => symbolsOf(router), clock),
    updates: updates && heldList(held.updates, updates, () => directoryOf(updates), clock),
  };
  kept.set(next);
  return { router: next.router?.list, updates: next.updates?.list };
}

type Unreadable = { rawJson: string; problem: string };

async function symbolsOf(router: NonNullable<ListServices['router']>): Promise<Outcome<RouterSymbols>> {
  const answer = await router.symbols('', 'background');
  if (!answer.ok) return answer;
  const { symbols, unreadable } = answer.value;
  return ok({ symbols: symbols.slice(0, MOST_FEEDS), unreadable: withSurplus(unreadable, symbols.length) });
}

async function directoryOf(updates: NonNullable<ListServices['updates']>): Promise<Outcome<FeedDirectory>> {
  const answer = await updates.directory('', 'background');
  if (!answer.ok) return answer;
  const { entries, unreadable, ...rest } = answer.value;
  const kept = { entries: entries.slice(0, MOST_FEEDS), unreadable: withSurplus(unreadable, entries.length) };
  return ok({ ...rest, ...kept });
}

/** Feeds beyond the bound are counted with the rows that can't be read. */
function withSurplus(unreadable: readonly Unreadable[], feeds: number): Unreadable[] {
  const surplus = Math.max(0, feeds - MOST_FEEDS);
  return [
    ...unreadable,
    ...Array<Unreadable>(surplus).fill({ rawJson: '', problem: 'The list is too long.' }),
  ];
}

function heldList<T>(
  held: Held<T> | undefined,
  client: unknown,
  ask: () => Promise<Outcome<T>>,
  clock: () => number,
): Held<T> {
  const ours = held?.client === client ? held : undefined;
  if (ours !== undefined && clock() < ours.untilMs) return ours;
  const fresh: Held<T> = {
    client,
    list: listFrom(ask().catch(failedByUs), ours?.list, clock),
    untilMs: Number.POSITIVE_INFINITY,
  };
  void fresh.list.then(({ answer }) => {
    fresh.untilMs = clock() + (answer.ok ? KEEP_MS : KEEP_FAILED_MS);
  });
  return fresh;
}

/** An error of ours would stay for good, as a list is asked for again once it has been answered. */
function failedByUs(error: unknown): Outcome<never> {
  log().error({ error }, 'a list of feeds met an error of ours');
  return failed({ kind: 'malformed', detail: 'The list could not be read.' });
}

async function listFrom<T>(
  asked: Promise<Outcome<T>>,
  before: Promise<KeptList<T>> | undefined,
  clock: () => number,
): Promise<KeptList<T>> {
  const answer = await asked;
  const good = answer.ok ? { value: answer.value, atMs: clock() } : (await before)?.good;
  return { answer, ...(good === undefined ? {} : { good }) };
}
