import { readRouterPrices, readRouterSymbols } from '@/lib/core/router-price';
import type { HttpService } from './http-service';
import { asTextAndRead, isJsonObject, jsonBodyCheck } from './json-body';
import type { CallPriority } from './rate-limiter';

export type PriceRouterClient = ReturnType<typeof createPriceRouterClient>;

/**
 * The router (interface A of the contract). Bodies are JSON text and go out as they are: the timestamp (unix microseconds,
 * a bare integer) is of 64 bits, which a JavaScript number cannot hold. `…Text` gives the answer as the service sent it,
 * checked to be JSON of the route's form.
 * @param http the service at `ROUTER_URL`
 * @param symbolsHttp the service at `SYMBOLS_URL`, which may be another host; else the same object
 */
export function createPriceRouterClient(http: HttpService, symbolsHttp: HttpService) {
  const post = (path: string) => (body: string, priority: CallPriority) =>
    http.call({ method: 'POST', path, body, priority, check: checkPrices });
  // The route needs no key, so a rejected one must not take the symbols away.
  const getSymbols = (query: string, priority: CallPriority) =>
    symbolsHttp.call({
      ...{ method: 'GET', path: '/v1/symbols', query, priority },
      ...{ keyUse: 'optional', check: checkSymbols },
    });
  const [latestPriceText, latestPrice] = asTextAndRead(http, post('/v1/latest_price'), readRouterPrices);
  const [priceText, price] = asTextAndRead(http, post('/v1/price'), readRouterPrices);
  const [symbolsText, symbols] = asTextAndRead(symbolsHttp, getSymbols, readRouterSymbols);
  return { latestPriceText, latestPrice, priceText, price, symbolsText, symbols };
}

/** The formats of signed payloads; an answer may hold nothing but one of them. */
const FORMATS = ['evm', 'solana', 'leEcdsa', 'leUnsigned'];

const checkPrices = jsonBodyCheck(
  (value) => isJsonObject(value) && ['parsed', ...FORMATS].some((name) => isJsonObject(value[name])),
  'it has neither prices nor a signed payload',
);

const checkSymbols = jsonBodyCheck(Array.isArray, 'it is no list of symbols');
