import { isLosslessNumber, type LosslessNumber, parse } from 'lossless-json';
import { z } from 'zod';
import { Refusal } from '@/sandbox/service';
import { CHANNELS, type RouterFeed, routerFeeds } from './router-feeds';
import { FORMATS, PROPERTY_NAMES } from './router-payload';

const unsigned = (message: string) =>
  z
    .custom<LosslessNumber>((value) => isLosslessNumber(value) && /^\d{1,40}$/.test(value.value), message)
    .transform(({ value }) => BigInt(value));

const distinct = <T extends string>(words: readonly T[]) =>
  z.array(z.enum(words)).refine((list) => new Set(list).size === list.length, 'has duplicates');

const latestRequest = z.object({
  channel: z.enum(CHANNELS),
  properties: distinct(PROPERTY_NAMES).min(1),
  formats: distinct(FORMATS).nullish(),
  priceFeedIds: z.array(unsigned('expected integers')).nullish(),
  symbols: z.array(z.string()).nullish(),
  jsonBinaryEncoding: z.enum(['base64', 'hex']).nullish(),
  parsed: z.boolean().nullish(),
});

/** Unix microseconds. */
const timestamp = unsigned('expected u64 microseconds as an unquoted integer').refine(
  (micros) => micros < 2n ** 64n,
  'the number is too large',
);
const timedRequest = latestRequest.extend({ timestamp });

type PriceRequest = z.output<typeof latestRequest>;

type RouterQuery = PriceRequest & { feeds: RouterFeed[]; timestamp?: bigint };

function refuse(text: string): Refusal {
  return new Refusal(400, text);
}

function readJson(text: string): unknown {
  try {
    return parse(text);
  } catch {
    throw refuse('Failed to parse the request body as JSON');
  }
}

function findFeeds({ priceFeedIds, symbols }: PriceRequest): RouterFeed[] {
  if (priceFeedIds && symbols) throw refuse('either priceFeedIds or symbols must be specified, not both');
  const names = priceFeedIds?.map(String) ?? symbols ?? [];
  const find = (name: string) =>
    routerFeeds.find(({ routerId, feed }) => name === (priceFeedIds ? String(routerId) : feed.symbol));
  const unknown = names.filter((name) => !find(name));
  if (unknown.length > 0) {
    throw refuse(`${priceFeedIds ? 'Price feed ids' : 'Symbols'} not found: ${unknown.join(', ')}`);
  }
  const feeds = names.flatMap((name) => find(name) ?? []);
  if (feeds.length === 0) throw refuse('no price feed ids specified');
  if (new Set(feeds).size < feeds.length) throw refuse('duplicate price feed ids specified');
  return feeds;
}

/** Body of `/v1/latest_price`, or if `timed` of `/v1/price`. Throws a Refusal (400). */
export function readRouterQuery(text: string, timed: boolean): RouterQuery {
  const read = (timed ? timedRequest : latestRequest).safeParse(readJson(text));
  if (!read.success) throw refuse(z.prettifyError(read.error));
  const { channel } = read.data;
  const feeds = findFeeds(read.data);
  for (const { routerId, feed, state, minChannel } of feeds) {
    const name = `price feed ${routerId} (${feed.symbol})`;
    if (state !== 'stable') throw refuse(`${name} is not stable: its state is ${state}`);
    if (CHANNELS.indexOf(channel) >= CHANNELS.indexOf(minChannel)) continue;
    throw refuse(`${name} does not support channel ${channel}: its minimum channel is ${minChannel}`);
  }
  return { ...read.data, feeds };
}
