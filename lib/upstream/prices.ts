import { readDeprecatedFeed, readFeedDirectoryRows, readUpdateBody } from '@/lib/core/feed';
import { badRequest, type Outcome } from '@/lib/core/outcome';
import { readRouterPrices, readRouterSymbols } from '@/lib/core/router-price';
import type { BodyCheck, HttpAnswer, HttpService } from './http-service';
import { asTextAndRead, isJsonObject, jsonBodyCheck } from './json-body';
import type { CallPriority } from './rate-limiter';
import { plainAnswerText } from './service-failure';

/**
 * The price update service on one host (interface B of the contract). Queries are query strings without their
 * question mark. `…Text` gives the answer as the service sent it, checked to be JSON of the route's form.
 * @param http the service at `UPDATES_URL` or `UPGRADED_UPDATES_URL`: one host never answers for the other
 */
export function createPriceUpdatesClient(http: HttpService) {
  const get = (path: string, check: BodyCheck) => (query: string, priority: CallPriority) =>
    http.call({ method: 'GET', path, query, priority, check });
  /** `publishTime` is unix seconds in decimal digits, else `bad-request`: nothing else ever becomes part of a path. */
  const atTime = async (
    publishTime: string,
    query: string,
    priority: CallPriority,
  ): Promise<Outcome<HttpAnswer>> => {
    if (!/^\d{1,19}$/.test(publishTime)) {
      return badRequest('The publish time must be unix seconds in digits.');
    }
    const [path, route] = [publishTime, '{publish_time}'].map((end) => `/v2/updates/price/${end}`);
    return http.call({ method: 'GET', path: path ?? '', route, query, priority, check: checkAtTime });
  };
  const [latestText, latest] = asTextAndRead(
    http,
    get('/v2/updates/price/latest', checkUpdate),
    readUpdateBody,
  );
  const [atTimeText, readAtTime] = asTextAndRead(http, atTime, readUpdateBody);
  const [deprecatedText, deprecated] = asTextAndRead(
    http,
    get('/api/get_price_feed', checkDeprecated),
    readDeprecatedFeed,
  );
  // Not every deployment has it.
  const [directoryText, directory] = asTextAndRead(
    http,
    get('/v2/price_feeds', checkDirectory),
    readFeedDirectoryRows,
  );
  return {
    ...{ http, latestText, latest, atTimeText, atTime: readAtTime },
    ...{ deprecatedText, deprecated, directoryText, directory },
    /** `GET /v2/updates/price/stream`: the raw bytes; the service closes it after 24 h. */
    openStream: (query: string, signal: AbortSignal, passedOn?: (ms: number) => void) =>
      http.open({ path: '/v2/updates/price/stream', query, signal, passedOn }),
  };
}

const checkUpdate = jsonBodyCheck(
  (value) =>
    isJsonObject(value) &&
    ((isJsonObject(value.binary) && Array.isArray(value.binary.data)) || Array.isArray(value.parsed)),
  'it has neither binary nor parsed updates',
);

/** The contract lists a plain text among the answers of this route: it is no update, but it says why there is none. */
const checkAtTime: BodyCheck = (body) => {
  const checked = checkUpdate(body);
  const said = checked.ok ? '' : plainAnswerText(body);
  if (said === '') return checked;
  return { ok: false, problem: `it is a plain text, “${said}”`, answered: 'plain-text' };
};

const checkDeprecated = jsonBodyCheck(
  (value) => isJsonObject(value) && typeof value.id === 'string' && isJsonObject(value.price),
  'it has no id and price',
);

const checkDirectory = jsonBodyCheck(Array.isArray, 'it is no list of feeds');

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
  return { http, symbolsHttp, latestPriceText, latestPrice, priceText, price, symbolsText, symbols };
}

/** The formats of signed payloads; an answer may hold nothing but one of them. */
const FORMATS = ['evm', 'solana', 'leEcdsa', 'leUnsigned'];

const checkPrices = jsonBodyCheck(
  (value) => isJsonObject(value) && ['parsed', ...FORMATS].some((name) => isJsonObject(value[name])),
  'it has neither prices nor a signed payload',
);

const checkSymbols = jsonBodyCheck(Array.isArray, 'it is no list of symbols');
