import {
  canonicalId,
  choice,
  flag,
  idList,
  needed,
  Refusal,
  shown,
  single,
  unixSeconds,
} from '@/sandbox/query-values';
import { feedById, type SandboxFeed, sandboxFeeds } from './feeds';
import type { FeedState, PriceModel } from './price-model';
import type { Generation } from './signers';
import { currentUpdate, firstUpdateFrom, wireSlot } from './slots';
import { EMITTER_CHAIN, type UpdateBlobs } from './update-blobs';

export type Encoding = 'hex' | 'base64';

/** Which update of which feed an answer holds. */
type ChosenUpdate = { feed: SandboxFeed; slot: number };

/** `price` and `ema_price` of an update as the service writes them: integers as text, beside their exponent. */
function priceObject(price: bigint, conf: bigint, state: FeedState) {
  return {
    price: price.toString(),
    conf: conf.toString(),
    expo: state.feed.expo,
    publish_time: state.publishTime,
  };
}

/** The members that the v2 routes and the deprecated route have in common. */
export function prices(state: FeedState) {
  return {
    id: state.feed.id,
    price: priceObject(state.price, state.conf, state),
    ema_price: priceObject(state.emaPrice, state.emaConf, state),
  };
}

function parsedUpdate(state: FeedState) {
  return {
    ...prices(state),
    metadata: {
      slot: wireSlot(state.slot),
      // The simulated proof is there at once.
      proof_available_time: state.publishTime,
      prev_publish_time: state.prevPublishTime,
    },
  };
}

/** Feeds of one slot share one blob; slots come in the order in which the feeds were asked for. */
function makeBlobs(chosen: readonly ChosenUpdate[], blobs: UpdateBlobs, generation: Generation): Buffer[] {
  const bySlot = new Map<number, SandboxFeed[]>();
  for (const { feed, slot } of chosen) {
    const feeds = bySlot.get(slot);
    if (feeds) feeds.push(feed);
    else bySlot.set(slot, [feed]);
  }
  return [...bySlot].map(([slot, feeds]) => blobs.blob(slot, feeds, generation));
}

/** The update response body of the v2 routes and of each stream event, as JSON on one line. */
export function updateBody(
  chosen: readonly ChosenUpdate[],
  form: { encoding: Encoding; parsed: boolean },
  from: { model: PriceModel; blobs: UpdateBlobs; generation: Generation },
): string {
  const data = makeBlobs(chosen, from.blobs, from.generation).map((blob) => blob.toString(form.encoding));
  const binary = { encoding: form.encoding, data };
  if (!form.parsed) return JSON.stringify({ binary });
  const parsed = chosen.map(({ feed, slot }) => parsedUpdate(from.model.at(feed, slot)));
  return JSON.stringify({ binary, parsed });
}

/** What an answer is made from. */
export type UpdateSource = { model: PriceModel; blobs: UpdateBlobs; generation: Generation; nowMs: number };

/** The parameters that all v2 update routes share. */
export type UpdateQuery = { feeds: SandboxFeed[]; encoding: Encoding; parsed: boolean };

const ENCODINGS = ['hex', 'base64'] as const;

/** Asset types that the directory's filter knows; those without a feed here give an empty list. */
const ASSET_TYPES = [
  'crypto',
  'fx',
  'equity',
  'metal',
  'rates',
  'crypto_redemption_rate',
  'commodities',
  'crypto_index',
  'crypto_nav',
  'eco',
  'kalshi',
];

function knownFeeds(ids: readonly string[], ignoreUnknown: boolean): SandboxFeed[] {
  const missing = ids.filter((id) => !feedById(id));
  if (missing.length > 0 && !ignoreUnknown) {
    throw new Refusal(404, `Price ids not found: ${missing.join(', ')}`);
  }
  return ids.flatMap((id) => feedById(id) ?? []);
}

/** Reads the parameters of a v2 update route. Throws a Refusal: 400 malformed, 404 unknown ids. */
export function readUpdateQuery(query: URLSearchParams): UpdateQuery {
  const ids = idList(query);
  const encoding = choice(query, 'encoding', ENCODINGS, 'hex');
  const parsed = flag(query, 'parsed', true);
  const ignoreUnknown = flag(query, 'ignore_invalid_price_ids', false);
  return { feeds: knownFeeds(ids, ignoreUnknown), encoding, parsed };
}

function makeBody(
  asked: UpdateQuery,
  source: UpdateSource,
  getSlot: (feed: SandboxFeed) => number | undefined,
): string {
  const chosen = asked.feeds.map((feed) => {
    const slot = getSlot(feed);
    if (slot === undefined) throw new Refusal(404, 'Update data not found');
    return { feed, slot };
  });
  return updateBody(chosen, asked, source);
}

/** `GET /v2/updates/price/latest`: of each feed the update that is current now. */
export function latestAnswer(query: URLSearchParams, source: UpdateSource): string {
  return makeBody(readUpdateQuery(query), source, (feed) => currentUpdate(feed, source.nowMs));
}

/** `GET /v2/updates/price/{publish_time}`: of each feed the first update published at or after that second. */
export function atTimeAnswer(time: string, query: URLSearchParams, source: UpdateSource): string {
  const seconds = unixSeconds(time, 'publish_time');
  return makeBody(readUpdateQuery(query), source, (feed) => firstUpdateFrom(feed, seconds, source.nowMs));
}

/**
 * `GET /api/get_price_feed`. The update found is refused as not unique when the one before it has the same
 * publish time, which happens only where the service does not hold the first update of that second.
 */
export function deprecatedAnswer(query: URLSearchParams, source: UpdateSource): string {
  const id = canonicalId(needed(query, 'id'));
  const seconds = unixSeconds(needed(query, 'publish_time'), 'publish_time');
  const verbose = flag(query, 'verbose', false);
  const binary = flag(query, 'binary', false);
  const feed = knownFeeds([id], false)[0];
  const slot = feed && firstUpdateFrom(feed, seconds, source.nowMs);
  if (!feed || slot === undefined) throw new Refusal(404, 'Update data not found');
  const state = source.model.at(feed, slot);
  if (state.prevPublishTime === state.publishTime) throw new Refusal(404, 'Benchmark price is not unique');
  const metadata = {
    slot: wireSlot(slot),
    emitter_chain: EMITTER_CHAIN,
    price_service_receive_time: state.publishTime,
    prev_publish_time: state.prevPublishTime,
  };
  return JSON.stringify({
    ...prices(state),
    ...(verbose ? { metadata } : {}),
    ...(binary ? { vaa: source.blobs.blob(slot, [feed], source.generation).toString('base64') } : {}),
  });
}

/** `GET /v2/price_feeds`: filtered by a part of the symbol and by asset type, both whatever the case. */
export function directoryAnswer(query: URLSearchParams): string {
  const part = (single(query, 'query') ?? '').toLowerCase();
  const assetType = single(query, 'asset_type')?.toLowerCase();
  if (assetType && !ASSET_TYPES.includes(assetType)) {
    throw new Refusal(
      400,
      `Failed to deserialize query string: asset_type: unknown variant ${shown(assetType)}`,
    );
  }
  const found = sandboxFeeds.filter(
    (feed) => feed.symbol.toLowerCase().includes(part) && (!assetType || feed.assetType === assetType),
  );
  return JSON.stringify(
    found.map((feed) => ({
      id: feed.id,
      attributes: {
        asset_type: feed.assetType,
        base: feed.base,
        description: feed.description,
        display_symbol: `${feed.base}/${feed.quote}`,
        generic_symbol: `${feed.base}${feed.quote}`,
        quote_currency: feed.quote,
        symbol: feed.symbol,
      },
    })),
  );
}
