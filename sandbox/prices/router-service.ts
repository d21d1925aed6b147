import type { ServerResponse } from 'node:http';
import { Refusal } from '@/sandbox/query-values';
import { replyJson, type SandboxRequest, type SandboxService } from '@/sandbox/service';
import type { PriceModel } from './price-model';
import { symbolsAnswer } from './router-feeds';
import { type PayloadContent, parsedFeed, routerValues, signedPayload } from './router-payload';
import { type RouterQuery, readRouterQuery } from './router-request';
import type { RouterSigner } from './signers';
import { currentUpdate, slotAt, slotTime } from './slots';
import type { PriceClock } from './update-streams';

type RouterEdges = { clock: PriceClock; model: PriceModel; signer: RouterSigner };

const ROUTES = ['latest-price', 'price', 'symbols'] as const;

/** Later than every time that `Date` can tell; keeps a u64 from losing digits on its way to a number. */
const LAST_MS = 8_640_000_000_000_000n;

function findRoute(method: string, path: string): string | undefined {
  if (method === 'POST' && path === '/v1/latest_price') return 'latest-price';
  if (method === 'POST' && path === '/v1/price') return 'price';
  return (method === 'GET' || method === 'HEAD') && path === '/v1/symbols' ? 'symbols' : undefined;
}

/**
 * The time an answer is for. A latest price is for the moment at which the newest round of updates began,
 * whatever the channel: so the same time, asked of `/v1/price`, gives the same prices.
 */
function answeredTime(asked: RouterQuery, nowMs: number): bigint {
  if (asked.timestampUs === undefined) return BigInt(slotTime(slotAt(nowMs))) * 1000n;
  if (asked.timestampUs / 1000n > LAST_MS || asked.timestampUs > BigInt(nowMs) * 1000n) {
    throw new Refusal(404, `No price data at timestamp ${asked.timestampUs}: it lies in the future`);
  }
  return asked.timestampUs;
}

function makeContent(asked: RouterQuery, edges: RouterEdges): PayloadContent {
  const timestampUs = answeredTime(asked, Math.floor(edges.clock.now()));
  const feeds = asked.feeds.map((entry) => {
    const slot = currentUpdate(entry.feed, Number(timestampUs / 1000n));
    if (slot === undefined) {
      throw new Refusal(404, `No price data at timestamp ${timestampUs}: it lies before the history`);
    }
    return routerValues(entry, edges.model.at(entry.feed, slot), asked.properties, timestampUs);
  });
  return { timestampUs, channel: asked.channel, properties: asked.properties, feeds };
}

function priceAnswer(asked: RouterQuery, edges: RouterEdges): string {
  const content = makeContent(asked, edges);
  const answer: Record<string, unknown> = {};
  if (asked.parsed) {
    answer.parsed = {
      timestampUs: content.timestampUs.toString(),
      priceFeeds: content.feeds.map(parsedFeed),
    };
  }
  for (const format of asked.formats) {
    const data = signedPayload(content, format, edges.signer).toString(asked.encoding);
    answer[format] = { encoding: asked.encoding, data };
  }
  return JSON.stringify(answer);
}

function checkContentType(request: SandboxRequest): void {
  const type = request.req.headers['content-type'] ?? '';
  if (/^application\/([\w.-]+\+)?json\b/i.test(type)) return;
  throw new Refusal(415, 'Expected request with `Content-Type: application/json`');
}

/** The simulated router. Its price routes need the key, its symbols do not. */
export function createRouterService(edges: RouterEdges): SandboxService {
  const handle = (route: string, request: SandboxRequest, res: ServerResponse): void => {
    if (route !== 'symbols') checkContentType(request);
    const answer =
      route === 'symbols'
        ? symbolsAnswer(request.query)
        : priceAnswer(readRouterQuery(request.body, route === 'price'), edges);
    replyJson(res, 200, answer);
  };
  return {
    name: 'router',
    base: '/router',
    routes: ROUTES,
    route: findRoute,
    keyNeeded: (route) => route !== 'symbols',
    handle,
  };
}
