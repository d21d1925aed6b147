import type { SandboxClock } from '@/sandbox/clock';
import { getRoute, Refusal, type SandboxRequest, type SandboxService } from '@/sandbox/service';
import type { PriceModel } from './price-model';
import { symbolsAnswer } from './router-feeds';
import { parsedFeed, routerValues, signedPayload } from './router-payload';
import { readRouterQuery } from './router-request';
import { currentUpdate, slotAt, slotTime } from './slots';

type RouterDeps = { clock: SandboxClock; model: PriceModel; seed: string };

/** Latest time of `Date`, which protects u64 digits from conversion to a number. */
const LAST_MS = 8_640_000_000_000_000n;

/** Price routes need the key; symbols do not. */
export function createRouterService(deps: RouterDeps): SandboxService {
  const post = (path: string, timed: boolean) => ({
    method: 'POST' as const,
    path,
    answer: (request: SandboxRequest) => priceAnswer(deps, request, timed),
  });
  return {
    name: 'router',
    base: '/router',
    routes: {
      'latest-price': post('/v1/latest_price', false),
      price: post('/v1/price', true),
      symbols: { ...getRoute('/v1/symbols', ({ query }) => symbolsAnswer(query)), isPublic: true },
    },
  };
}

function priceAnswer({ clock, model, seed }: RouterDeps, request: SandboxRequest, timed: boolean): string {
  if (!/^application\/([\w.-]+\+)?json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'Expected request with `Content-Type: application/json`');
  }
  const query = readRouterQuery(request.body, timed);
  const timestampUs = answeredTime(query.timestamp, clock.now());
  const feeds = query.feeds.map((entry) => {
    const slot = currentUpdate(entry.feed, Number(timestampUs / 1000n));
    if (slot === undefined) {
      throw new Refusal(404, `No price data at timestamp ${timestampUs}: it lies before the history`);
    }
    return routerValues({ entry, state: model.at(entry.feed, slot), timestampUs }, query.properties);
  });
  const { channel, formats, parsed } = query;
  const encoding = query.jsonBinaryEncoding ?? 'base64';
  const payloads = (formats ?? []).map((format) => {
    const payload = signedPayload({ timestampUs, channel, feeds }, format, seed);
    return [format, { encoding, data: payload.toString(encoding) }] as const;
  });
  return JSON.stringify({
    parsed:
      parsed === false ? undefined : { timestampUs: String(timestampUs), priceFeeds: feeds.map(parsedFeed) },
    ...Object.fromEntries(payloads),
  });
}

/** The latest price is that of the newest slot, on every channel. */
function answeredTime(requestedUs: bigint | undefined, nowMs: number): bigint {
  if (requestedUs === undefined) return BigInt(slotTime(slotAt(nowMs))) * 1000n;
  if (requestedUs / 1000n > LAST_MS || requestedUs > BigInt(nowMs) * 1000n) {
    throw new Refusal(404, `No price data at timestamp ${requestedUs}: it lies in the future`);
  }
  return requestedUs;
}
