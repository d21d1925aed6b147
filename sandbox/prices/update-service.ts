import { z } from 'zod';
import type { SandboxClock } from '@/sandbox/clock';
import { getRoute, Refusal, readQuery, type SandboxService } from '@/sandbox/service';
import { feedById, type SandboxFeed, sandboxFeeds } from './feeds';
import type { FeedState, PriceModel } from './price-model';
import type { Generation } from './signers';
import { currentUpdate, firstUpdateFrom, wireSlot } from './slots';
import { EMITTER_CHAIN, type UpdateBlobs } from './update-blobs';
import { type ChosenUpdate, type StartInterval, type UpdateQuery, UpdateStreams } from './update-streams';

type UpdateHost = Pick<SandboxService, 'name' | 'base'> & {
  clock: SandboxClock;
  model: PriceModel;
  blobs: UpdateBlobs;
  generation: () => Generation;
  every: StartInterval;
};

const flag = (absent: 'true' | 'false') =>
  z
    .enum(['true', 'false'])
    .default(absent)
    .transform((text) => text === 'true');

/** 64 hex digits, converted to lower case without `0x`. */
const feedId = z
  .string()
  .regex(/^(0x)?[0-9a-f]{64}$/i, 'invalid price id: expected 32 bytes as hex')
  .transform((text) => text.replace(/^0x/i, '').toLowerCase());

/** An int64. Beyond 2^53 precision does not matter, because there are no updates. */
const seconds = z
  .string()
  .regex(/^-?\d{1,19}$/, { error: 'expected an i64', abort: true })
  .refine((text) => BigInt.asIntN(64, BigInt(text)) === BigInt(text), 'expected an i64')
  .transform(Number);

const updateQuery = {
  ids: z.array(feedId).transform((ids) => [...new Set(ids)]),
  encoding: z.enum(['hex', 'base64']).default('hex'),
  parsed: flag('true'),
  ignore_invalid_price_ids: flag('false'),
};
const streamQuery = { ...updateQuery, allow_unordered: flag('false'), benchmarks_only: flag('false') };
const deprecatedQuery = { id: feedId, publish_time: seconds, verbose: flag('false'), binary: flag('false') };

/** Types without a feed here give an empty list. */
const ASSET_TYPES = [
  ...['', 'crypto', 'fx', 'equity', 'metal', 'rates', 'crypto_redemption_rate', 'commodities'],
  ...['crypto_index', 'crypto_nav', 'eco', 'kalshi'],
];
const directoryQuery = {
  query: z.string().toLowerCase().default(''),
  asset_type: z.string().toLowerCase().default('').pipe(z.enum(ASSET_TYPES)),
};

/** All five routes need the key. */
export function createUpdateService(host: UpdateHost): SandboxService {
  const { clock, every } = host;
  const body = (chosen: readonly ChosenUpdate[], form: UpdateQuery) => updateBody(host, chosen, form);
  const streams = new UpdateStreams({ clock, every, body });
  /** 404 if one of the feeds has no update. */
  const answer = (
    query: URLSearchParams,
    getSlot: (feed: SandboxFeed, nowMs: number) => number | undefined,
  ) => {
    const parsed = withFeeds(readQuery(updateQuery, query));
    const nowMs = clock.now();
    const chosen = parsed.feeds.map((feed) => ({ feed, slot: slotOrMissing(getSlot(feed, nowMs)) }));
    return body(chosen, parsed);
  };
  return {
    name: host.name,
    base: host.base,
    routes: {
      latest: getRoute('/v2/updates/price/latest', ({ query }) => answer(query, currentUpdate)),
      stream: getRoute('/v2/updates/price/stream', ({ query }) => {
        const parsed = withFeeds(readQuery(streamQuery, query));
        return (stream) => streams.add(stream, parsed);
      }),
      deprecated: getRoute('/api/get_price_feed', ({ query }) => deprecatedAnswer(host, query)),
      directory: getRoute('/v2/price_feeds', ({ query }) => directoryAnswer(query)),
      'at-time': getRoute(/^\/v2\/updates\/price\/[^/]+$/, ({ path, query }) => {
        // Parsed like a parameter, so that `%35` is a digit here too.
        const time = new URLSearchParams(`publish_time=${path.slice(path.lastIndexOf('/') + 1)}`);
        const { publish_time: fromS } = readQuery({ publish_time: seconds }, time);
        return answer(query, (feed, nowMs) => firstUpdateFrom(feed, fromS, nowMs));
      }),
    },
  };
}

function slotOrMissing(slot: number | undefined): number {
  if (slot === undefined) throw new Refusal(404, 'Update data not found');
  return slot;
}

const withFeeds = <Q extends { ids: string[]; ignore_invalid_price_ids: boolean }>(parsed: Q) => ({
  ...parsed,
  feeds: selectFeeds(parsed.ids, parsed.ignore_invalid_price_ids),
});

/** Throws a Refusal (404) for an unknown id. */
function selectFeeds(ids: readonly string[], ignoreUnknown = false): SandboxFeed[] {
  const missing = ids.filter((id) => !feedById(id));
  if (missing.length > 0 && !ignoreUnknown) {
    throw new Refusal(404, `Price ids not found: ${missing.join(', ')}`);
  }
  return ids.flatMap((id) => feedById(id) ?? []);
}

/** Body of the v2 routes and stream events, one line. Feeds of one slot share one blob. */
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
        proof_available_time: state.publishTime,
        prev_publish_time: state.prevPublishTime,
      },
    };
  });
  return JSON.stringify({ binary, parsed });
}

/** Integers as text, with their exponent. */
function prices({ feed, price, conf, emaPrice, emaConf, publishTime }: FeedState) {
  const common = { expo: feed.expo, publish_time: publishTime };
  return {
    id: feed.id,
    price: { price: price.toString(), conf: conf.toString(), ...common },
    ema_price: { price: emaPrice.toString(), conf: emaConf.toString(), ...common },
  };
}

/** The answer is not unique if the service lacks the first update of that second. */
function deprecatedAnswer({ model, blobs, clock, generation }: UpdateHost, query: URLSearchParams): string {
  const { id, publish_time: fromS, verbose, binary } = readQuery(deprecatedQuery, query);
  const [feed] = selectFeeds([id]) as [SandboxFeed];
  const slot = slotOrMissing(firstUpdateFrom(feed, fromS, clock.now()));
  const state = model.at(feed, slot);
  if (state.prevPublishTime === state.publishTime) throw new Refusal(404, 'Benchmark price is not unique');
  const metadata = {
    slot: wireSlot(slot),
    emitter_chain: EMITTER_CHAIN,
    price_service_receive_time: state.publishTime,
    prev_publish_time: state.prevPublishTime,
  };
  return JSON.stringify({
    ...prices(state),
    metadata: verbose ? metadata : undefined,
    vaa: binary ? blobs.blob(slot, [feed], generation()).toString('base64') : undefined,
  });
}

/** Filtered by a part of the symbol and by asset type. */
function directoryAnswer(query: URLSearchParams): string {
  const { query: part, asset_type: wanted } = readQuery(directoryQuery, query);
  const feeds = sandboxFeeds.filter(
    ({ symbol, assetType }) => symbol.toLowerCase().includes(part) && (!wanted || assetType === wanted),
  );
  return JSON.stringify(
    feeds.map(({ id, assetType: asset_type, base, quote, description, symbol }) => ({
      id,
      attributes: {
        asset_type,
        base,
        description,
        symbol,
        quote_currency: quote,
        display_symbol: `${base}/${quote}`,
        generic_symbol: `${base}${quote}`,
      },
    })),
  );
}
