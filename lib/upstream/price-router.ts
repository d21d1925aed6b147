import type { Outcome } from '@/lib/core/outcome';
import {
  type RouterPrices,
  type RouterSymbols,
  readRouterPrices,
  readRouterSymbols,
} from '@/lib/core/router-price';
import type { HttpService } from './http-service';
import { answerReader, isJsonObject, jsonBodyCheck, textOf } from './json-body';
import type { CallPriority } from './rate-limiter';

/**
 * The router (interface A of the contract). Bodies are JSON text and go out as they are: the timestamp is an
 * integer of 64 bits that a JavaScript number cannot hold. `…Text` gives the answer as the service sent it,
 * checked to be JSON of the route's form.
 */
export type PriceRouterClient = {
  /** `POST /v1/latest_price` */
  latestPriceText(body: string, priority: CallPriority): Promise<Outcome<string>>;
  latestPrice(body: string, priority: CallPriority): Promise<Outcome<RouterPrices>>;
  /** `POST /v1/price`: the body holds `timestamp`, unix microseconds as a bare integer. */
  priceText(body: string, priority: CallPriority): Promise<Outcome<string>>;
  price(body: string, priority: CallPriority): Promise<Outcome<RouterPrices>>;
  /** `GET /v1/symbols` */
  symbolsText(query: string, priority: CallPriority): Promise<Outcome<string>>;
  symbols(query: string, priority: CallPriority): Promise<Outcome<RouterSymbols>>;
};

/**
 * @param http the service at `ROUTER_URL`
 * @param symbolsHttp the service at `SYMBOLS_URL`, which may be another host; else the same object
 */
export function createPriceRouterClient(http: HttpService, symbolsHttp: HttpService): PriceRouterClient {
  const toPrices = answerReader(http, readRouterPrices);
  const toSymbols = answerReader(symbolsHttp, readRouterSymbols);
  const post = (path: string) => (body: string, priority: CallPriority) =>
    http.call({ method: 'POST', path, body, priority, check: checkPrices });
  const latestPrice = post('/v1/latest_price');
  const price = post('/v1/price');
  const symbols = (query: string, priority: CallPriority) =>
    symbolsHttp.call({
      method: 'GET',
      path: '/v1/symbols',
      query,
      priority,
      // The route needs no key, so a rejected one must not take the symbols away.
      keyUse: 'optional',
      check: checkSymbols,
    });
  return {
    latestPriceText: async (...of) => textOf(await latestPrice(...of)),
    latestPrice: async (...of) => toPrices(await latestPrice(...of)),
    priceText: async (...of) => textOf(await price(...of)),
    price: async (...of) => toPrices(await price(...of)),
    symbolsText: async (...of) => textOf(await symbols(...of)),
    symbols: async (...of) => toSymbols(await symbols(...of)),
  };
}

/** The formats of signed payloads; an answer may hold nothing but one of them. */
const FORMATS = ['evm', 'solana', 'leEcdsa', 'leUnsigned'];

const checkPrices = jsonBodyCheck(
  (value) => isJsonObject(value) && ['parsed', ...FORMATS].some((name) => isJsonObject(value[name])),
  'it has neither prices nor a signed payload',
);

const checkSymbols = jsonBodyCheck(Array.isArray, 'it is no list of symbols');
