import type { SandboxClock } from '@/sandbox/clock';
import { Refusal } from '@/sandbox/query-values';
import { get, type SandboxRequest, type SandboxService } from '@/sandbox/server';
import type { PriceModel } from './price-model';
import { symbolsAnswer } from './router-feeds';
import { parsedFeed, routerValues, signedPayload } from './router-payload';
import { readRouterQuery } from './router-request';
import type { RouterSigner } from './signers';
import { currentUpdate, slotAt, slotTime } from './slots';

type RouterEdges = { clock: SandboxClock; model: PriceModel; signer: RouterSigner };

/** Later than every time that `Date` can tell; keeps a u64 from losing digits on its way to a number. */
const LAST_MS = 8_640_000_000_000_000n;

/** The simulated router. Its price routes need the key, its symbols do not. */
export function createRouterService(edges: RouterEdges): SandboxService {
  const post = (path: string, timed: boolean) => {
    const answer = (request: SandboxRequest) => priceAnswer(edges, request, timed);
    return { method: 'POST' as const, path, answer };
  };
  return {
    name: 'router',
    base: '/router',
    routes: {
      'latest-price': post('/v1/latest_price', false),
      price: post('/v1/price', true),
      symbols: { ...get('/v1/symbols', ({ query }) => symbolsAnswer(query)), isPublic: true },
    },
  };
}

function priceAnswer(
  { clock, model, signer }: RouterEdges,
  { headers, body }: SandboxRequest,
  timed: boolean,
): string {
  if (!/^application\/([\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '')) {
    throw new Refusal(415, 'Expected request with `Content-Type: application/json`');
  }
  const asked = readRouterQuery(body, timed);
  const timestampUs = answeredTime(asked.timestampUs, Math.floor(clock.now()));
  const feeds = asked.feeds.map((entry) => {
    const slot = currentUpdate(entry.feed, Number(timestampUs / 1000n));
    if (slot === undefined) {
      throw new Refusal(404, `No price data at timestamp ${timestampUs}: it lies before the history`);
    }
    return routerValues(entry, model.at(entry.feed, slot), asked.properties, timestampUs);
  });
  const { channel, properties, encoding } = asked;
  const parsed = { timestampUs: timestampUs.toString(), priceFeeds: feeds.map(parsedFeed) };
  const payloads = asked.formats.map((format) => {
    const payload = signedPayload({ timestampUs, channel, properties, feeds }, format, signer);
    return [format, { encoding, data: payload.toString(encoding) }] as const;
  });
  return JSON.stringify({ parsed: asked.parsed ? parsed : undefined, ...Object.fromEntries(payloads) });
}

/** A latest price is of the moment at which the newest round of updates began, whatever the channel. */
function answeredTime(askedUs: bigint | undefined, nowMs: number): bigint {
  if (askedUs === undefined) return BigInt(slotTime(slotAt(nowMs))) * 1000n;
  if (askedUs / 1000n > LAST_MS || askedUs > BigInt(nowMs) * 1000n) {
    throw new Refusal(404, `No price data at timestamp ${askedUs}: it lies in the future`);
  }
  return askedUs;
}
