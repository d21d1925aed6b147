import type { LookupSource } from '@/lib/contract/codec/prices-url';
import { CHANNELS, permittedChannels } from '@/lib/domain/router-price';
import type { UnixMicros, UnixSeconds } from '@/lib/domain/units';
import { microsToSeconds, secondsToMicros } from '@/lib/domain/unix-micros';
import {
  cellKey,
  type LookupAsk,
  type LookupCall,
  type LookupCell,
  type LookupFeed,
  type NotAskedWhy,
} from './price-lookup';

type NotAsked = Extract<LookupCell, { kind: 'not-asked' }>;

/** What a lookup asks: its calls in order, and the cells that can be filled without asking. */
export type LookupPlan = {
  readonly calls: readonly LookupCall[];
  readonly given: ReadonlyMap<string, LookupCell>;
};

/** Of these states the router says that it serves no price; the others are for it to judge. */
const NOT_SERVED = ['coming_soon', 'inactive'];

/**
 * The calls of a lookup, as few as the routes allow: one per host with all feeds, one of the router with
 * all feeds that serve the channel, and, as that route takes no more, one of the deprecated route for each feed. With now
 * the deprecated calls come later (`deprecatedFollowUp`), as that route can only be asked for a second.
 */
export function planLookup(ask: LookupAsk): LookupPlan {
  const calls: LookupCall[] = [];
  const given = new Map<string, LookupCell>();
  for (const source of ask.options.sources) {
    const asked: LookupFeed[] = [];
    for (const feed of ask.feeds) {
      const reason = reasonNotToAsk(ask, source, feed);
      if (reason === undefined) asked.push(feed);
      else given.set(cellKey(feed, source), reason);
    }
    const waits = source === 'deprecated' && ask.at === undefined;
    if (!waits) calls.push(...callsOf(ask, source, asked));
  }
  return { calls, given };
}

function notAsked(why: NotAskedWhy, detail?: string): NotAsked {
  return { kind: 'not-asked', why, ...(detail === undefined ? {} : { detail }) };
}

function reasonNotToAsk(ask: LookupAsk, source: LookupSource, feed: LookupFeed): NotAsked | undefined {
  const isMissing = ask.directory === 'missing';
  if (source !== 'router') {
    if (feed.feedId !== undefined) return undefined;
    return notAsked(isMissing ? 'directory-missing' : 'no-feed-id');
  }
  if (feed.routerId === undefined) return notAsked(isMissing ? 'directory-missing' : 'no-router-id');
  if (feed.state !== undefined && NOT_SERVED.includes(feed.state)) return notAsked('not-served', feed.state);
  const { minChannel } = feed;
  // A minimum that we don't know is for the router to judge.
  const isKnown = minChannel !== undefined && (CHANNELS as readonly string[]).includes(minChannel);
  if (!isKnown || permittedChannels(minChannel).includes(ask.options.channel)) return undefined;
  return notAsked('below-min-channel', minChannel);
}

function callsOf(ask: LookupAsk, source: LookupSource, feeds: readonly LookupFeed[]): LookupCall[] {
  if (feeds.length === 0) return [];
  const groups = source === 'deprecated' ? feeds.map((feed) => [feed]) : [feeds];
  return groups.map((group) => lookupCall(ask, source, group));
}

/** One call for some feeds. Also used to ask a part of a refused call again. */
export function lookupCall(ask: LookupAsk, source: LookupSource, feeds: readonly LookupFeed[]): LookupCall {
  const us = ask.at;
  const of = { source, feeds };
  if (source === 'router') {
    const path = `/api/router/v1/${us === undefined ? 'latest_price' : 'price'}`;
    const request = { method: 'POST', path, body: routerBody(ask, feeds, us) } as const;
    return { ...of, request, ...(us === undefined ? {} : { askedUs: us }) };
  }
  const second = us === undefined ? undefined : microsToSeconds(us);
  if (source === 'deprecated') return deprecatedCall(ask, feeds, second);
  const path = `/api/${source}/v2/updates/price/${second ?? 'latest'}`;
  const request = { method: 'GET', path, query: updatesQuery(ask, feeds) } as const;
  return { ...of, request, ...(second === undefined ? {} : { askedUs: secondsToMicros(second) }) };
}

function updatesQuery({ options }: LookupAsk, feeds: readonly LookupFeed[]): string {
  const query = new URLSearchParams(feeds.map(({ feedId = '' }) => ['ids[]', feedId]));
  query.set('encoding', options.encoding);
  query.set('parsed', String(options.parsed === 'yes'));
  query.set('ignore_invalid_price_ids', String(options.invalid === 'ignored'));
  return query.toString();
}

/** JSON by hand: a router id and a timestamp are integers of 64 bits, which no JavaScript number holds. */
function routerBody(
  { options }: LookupAsk,
  feeds: readonly LookupFeed[],
  us: UnixMicros | undefined,
): string {
  const ids = feeds.map(({ routerId = '' }) => routerId).join(',');
  const members = [
    `"channel":${JSON.stringify(options.channel)}`,
    `"priceFeedIds":[${ids}]`,
    `"properties":${JSON.stringify(options.properties)}`,
    `"formats":${JSON.stringify(options.formats)}`,
    ...(us === undefined ? [] : [`"timestamp":${us}`]),
  ];
  return `{${members.join(',')}}`;
}

function deprecatedCall(
  { options }: LookupAsk,
  feeds: readonly LookupFeed[],
  second: UnixSeconds | undefined,
): LookupCall {
  const query = new URLSearchParams({
    id: feeds[0]?.feedId ?? '',
    publish_time: String(second ?? ''),
    verbose: String(options.verbose === 'yes'),
    binary: String(options.binary === 'yes'),
  });
  const request = {
    method: 'GET',
    path: '/api/updates/api/get_price_feed',
    query: query.toString(),
  } as const;
  const of = { source: 'deprecated', feeds, request } as const;
  return second === undefined ? of : { ...of, askedUs: secondsToMicros(second) };
}

/**
 * With now, once the other columns are there: the deprecated calls, each for the second at which one of them says that
 * its feed was published. Where none does, the route can't be asked.
 */
export function deprecatedFollowUp(ask: LookupAsk, cells: ReadonlyMap<string, LookupCell>): LookupPlan {
  const calls: LookupCall[] = [];
  const given = new Map<string, LookupCell>();
  if (ask.at !== undefined || !ask.options.sources.includes('deprecated')) return { calls, given };
  for (const feed of ask.feeds) {
    if (reasonNotToAsk(ask, 'deprecated', feed) !== undefined) continue;
    const second = publishedSecond(cells, feed);
    if (second === undefined) given.set(cellKey(feed, 'deprecated'), notAsked('no-second'));
    else calls.push(deprecatedCall(ask, [feed], second));
  }
  return { calls, given };
}

function publishedSecond(cells: ReadonlyMap<string, LookupCell>, feed: LookupFeed): UnixSeconds | undefined {
  for (const source of ['updates', 'upgraded'] as const) {
    const cell = cells.get(cellKey(feed, source));
    const publishUs = cell?.kind === 'quote' ? cell.quote.publishUs : undefined;
    if (publishUs !== undefined) return microsToSeconds(publishUs);
  }
  return undefined;
}

/** How many calls a lookup needs when none is refused; with now the deprecated ones among them. */
export function countCalls(ask: LookupAsk): number {
  const later =
    ask.at === undefined && ask.options.sources.includes('deprecated')
      ? ask.feeds.filter((feed) => reasonNotToAsk(ask, 'deprecated', feed) === undefined).length
      : 0;
  return planLookup(ask).calls.length + later;
}

/**
 * The parts in which a refused call is asked again: the feeds whose id the refusal names and the others, else two halves.
 * @param detail the service's words
 */
export function splitFeeds(call: LookupCall, detail: string): readonly (readonly LookupFeed[])[] {
  const words = new Set(detail.toLowerCase().match(/[0-9a-z]+/g) ?? []);
  const idOf = ({ feedId, routerId }: LookupFeed) => (call.source === 'router' ? routerId : feedId);
  const named = call.feeds.filter((feed) => words.has(idOf(feed) ?? ''));
  const others = call.feeds.filter((feed) => !named.includes(feed));
  if (named.length > 0 && others.length > 0) return [others, named];
  const half = Math.ceil(call.feeds.length / 2);
  return [call.feeds.slice(0, half), call.feeds.slice(half)];
}
