import type { SandboxClock } from '@/sandbox/clock';
import {
  canonicalId,
  choice,
  flag,
  idList,
  malformedQuery,
  needed,
  Refusal,
  shown,
  single,
  unixSeconds,
} from '@/sandbox/query-values';
import { get, type SandboxService } from '@/sandbox/server';
import { feedById, type SandboxFeed, sandboxFeeds } from './feeds';
import type { FeedState, PriceModel } from './price-model';
import type { Generation } from './signers';
import { currentUpdate, firstUpdateFrom, wireSlot } from './slots';
import { EMITTER_CHAIN, type UpdateBlobs } from './update-blobs';
import { type ChosenUpdate, type UpdateQuery, UpdateStreams } from './update-streams';

type UpdateHost = Pick<SandboxService, 'name' | 'base'> & {
  clock: SandboxClock;
  model: PriceModel;
  blobs: UpdateBlobs;
  generation: () => Generation;
  realNow: () => number;
};

/** Asset types that the directory's filter knows; those without a feed here give an empty list. */
const ASSET_TYPES = [
  ...['crypto', 'fx', 'equity', 'metal', 'rates', 'crypto_redemption_rate', 'commodities', 'crypto_index'],
  ...['crypto_nav', 'eco', 'kalshi'],
];

/** The simulated price update service on one host: its five routes, all of which need the key. */
export function createUpdateService(host: UpdateHost): SandboxService {
  const { clock, realNow } = host;
  const body = (chosen: readonly ChosenUpdate[], form: UpdateQuery) => updateBody(host, chosen, form);
  const streams = new UpdateStreams({ clock, realNow, body });
  /** One update of each feed, or 404 where one has none. */
  const answer = (
    query: URLSearchParams,
    getSlot: (feed: SandboxFeed, nowMs: number) => number | undefined,
  ): string => {
    const asked = readUpdateQuery(query);
    const nowMs = clock.now();
    const chosen = asked.feeds.map((feed) => ({ feed, slot: found(getSlot(feed, nowMs)) }));
    return body(chosen, asked);
  };
  return {
    ...{ name: host.name, base: host.base },
    routes: {
      latest: get('/v2/updates/price/latest', ({ query }) => answer(query, currentUpdate)),
      stream: get('/v2/updates/price/stream', ({ query }) => {
        const asked = {
          ...readUpdateQuery(query),
          allowUnordered: flag(query, 'allow_unordered', false),
          benchmarksOnly: flag(query, 'benchmarks_only', false),
        };
        return (stream) => streams.add(stream, asked);
      }),
      deprecated: get('/api/get_price_feed', ({ query }) => deprecatedAnswer(host, query)),
      directory: get('/v2/price_feeds', ({ query }) => directoryAnswer(query)),
      'at-time': get(/^\/v2\/updates\/price\/[^/]+$/, ({ path, query }) => {
        const seconds = unixSeconds(decoded(path.slice(path.lastIndexOf('/') + 1)), 'publish_time');
        return answer(query, (feed, nowMs) => firstUpdateFrom(feed, seconds, nowMs));
      }),
    },
  };
}

function found(slot: number | undefined): number {
  if (slot === undefined) throw new Refusal(404, 'Update data not found');
  return slot;
}

/** `%35` in a path is a digit too; what can't be decoded is taken as it stands, and refused as no integer. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Throws a Refusal: 400 malformed, 404 unknown ids. */
function readUpdateQuery(query: URLSearchParams): UpdateQuery {
  const ids = idList(query);
  const encoding = choice(query, 'encoding', ['hex', 'base64'] as const) ?? 'hex';
  const parsed = flag(query, 'parsed', true);
  return { feeds: knownFeeds(ids, flag(query, 'ignore_invalid_price_ids', false)), encoding, parsed };
}

function knownFeeds(ids: readonly string[], ignoreUnknown: boolean): SandboxFeed[] {
  const missing = ids.filter((id) => !feedById(id));
  if (missing.length > 0 && !ignoreUnknown) {
    throw new Refusal(404, `Price ids not found: ${missing.join(', ')}`);
  }
  return ids.flatMap((id) => feedById(id) ?? []);
}

/** Body of the v2 routes and stream events, as one line. Feeds of one slot share one blob. */
function updateBody(host: UpdateHost, chosen: readonly ChosenUpdate[], form: UpdateQuery): string {
  const bySlot = new Map<number, SandboxFeed[]>();
  for (const { feed, slot } of chosen) bySlot.set(slot, [...(bySlot.get(slot) ?? []), feed]);
  const data = [...bySlot].map(([slot, feeds]) =>
    host.blobs.blob(slot, feeds, host.generation()).toString(form.encoding),
  );
  const binary = { encoding: form.encoding, data };
  if (!form.parsed) return JSON.stringify({ binary });
  const parsed = chosen.map(({ feed, slot }) => {
    const state = host.model.at(feed, slot);
    return {
      ...prices(state),
      metadata: {
        slot: wireSlot(slot),
        // The simulated proof is there at once.
        proof_available_time: state.publishTime,
        prev_publish_time: state.prevPublishTime,
      },
    };
  });
  return JSON.stringify({ binary, parsed });
}

/** The members that the v2 routes and the deprecated route have in common: integers as text, beside their exponent. */
function prices({ feed, price, conf, emaPrice, emaConf, publishTime }: FeedState) {
  const common = { expo: feed.expo, publish_time: publishTime };
  return {
    id: feed.id,
    price: { price: price.toString(), conf: conf.toString(), ...common },
    ema_price: { price: emaPrice.toString(), conf: emaConf.toString(), ...common },
  };
}

/** `GET /api/get_price_feed`: not unique where the service does not hold the first update of that second. */
function deprecatedAnswer({ model, blobs, clock, generation }: UpdateHost, query: URLSearchParams): string {
  const id = canonicalId(needed(query, 'id'));
  const seconds = unixSeconds(needed(query, 'publish_time'), 'publish_time');
  const [verbose, binary] = [flag(query, 'verbose', false), flag(query, 'binary', false)];
  const [feed] = knownFeeds([id], false) as [SandboxFeed];
  const slot = found(firstUpdateFrom(feed, seconds, clock.now()));
  const state = model.at(feed, slot);
  if (state.prevPublishTime === state.publishTime) throw new Refusal(404, 'Benchmark price is not unique');
  return JSON.stringify({
    ...prices(state),
    metadata: verbose
      ? {
          slot: wireSlot(slot),
          emitter_chain: EMITTER_CHAIN,
          price_service_receive_time: state.publishTime,
          prev_publish_time: state.prevPublishTime,
        }
      : undefined,
    vaa: binary ? blobs.blob(slot, [feed], generation()).toString('base64') : undefined,
  });
}

/** `GET /v2/price_feeds`, filtered, where asked, by a part of the symbol and by asset type. */
function directoryAnswer(query: URLSearchParams): string {
  const part = (single(query, 'query') ?? '').toLowerCase();
  const assetType = single(query, 'asset_type')?.toLowerCase();
  if (assetType && !ASSET_TYPES.includes(assetType)) {
    throw malformedQuery(`asset_type: unknown variant ${shown(assetType)}`);
  }
  const feeds = sandboxFeeds.filter(
    (feed) => feed.symbol.toLowerCase().includes(part) && (!assetType || feed.assetType === assetType),
  );
  return JSON.stringify(
    feeds.map(({ id, assetType: asset_type, base, quote, description, symbol }) => ({
      id,
      attributes: {
        ...{ asset_type, base, description, symbol, quote_currency: quote },
        ...{ display_symbol: `${base}/${quote}`, generic_symbol: `${base}${quote}` },
      },
    })),
  );
}
