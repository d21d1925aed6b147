import { readDeprecatedFeed, readFeedDirectoryRows, readUpdateBody } from '@/lib/core/feed';
import { badRequest, type Outcome } from '@/lib/core/outcome';
import { readRouterPrices, readRouterSymbols } from '@/lib/core/router-price';
import type { BodyCheck, HttpService } from './http-service';
import { isJsonObject, jsonBodyCheck, textAndValueCalls } from './json-body';
import type { CallPriority } from './rate-limiter';
import { plainAnswerText } from './service-failure';

/** Functions named `…Text` return the service's own text, whose structure has been checked. */
export function createPriceUpdatesClient(http: HttpService) {
  const get = <T>(path: string, check: BodyCheck, read: (text: string) => Outcome<T>) => {
    const call = (query: string, priority: CallPriority) =>
      http.call({ method: 'GET', path, query, priority, check });
    return textAndValueCalls(http, call, read);
  };
  const [latestText, latest] = get('/v2/updates/price/latest', checkUpdate, readUpdateBody);
  const [deprecatedText, deprecated] = get('/api/get_price_feed', checkDeprecated, readDeprecatedFeed);
  const [directoryText, directory] = get('/v2/price_feeds', checkDirectory, readFeedDirectoryRows);
  /** `publishTime` is unix seconds in digits; no other text may become part of the path. */
  const getAtTime = async (publishTime: string, query: string, priority: CallPriority) => {
    if (!/^\d{1,19}$/.test(publishTime))
      return badRequest('The publish time must be unix seconds in digits.');
    const [path = '', route] = [publishTime, '{publish_time}'].map((end) => `/v2/updates/price/${end}`);
    return http.call({ method: 'GET', path, route, query, priority, check: checkAtTime });
  };
  const [atTimeText, atTime] = textAndValueCalls(http, getAtTime, readUpdateBody);
  return {
    http,
    latestText,
    latest,
    atTimeText,
    atTime,
    deprecatedText,
    deprecated,
    directoryText,
    directory,
    /** The raw bytes. The service closes the stream after 24 h. */
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

/** The interface contract allows plain text here. It is not an update, but may give the reason. */
const checkAtTime: BodyCheck = (body) => {
  const checked = checkUpdate(body);
  const plainText = checked.ok ? '' : plainAnswerText(body);
  if (plainText === '') return checked;
  return { ok: false, problem: `it is a plain text, “${plainText}”`, answered: 'plain-text' };
};

const checkDeprecated = jsonBodyCheck(
  (value) => isJsonObject(value) && typeof value.id === 'string' && isJsonObject(value.price),
  'it has no id and price',
);

const checkDirectory = jsonBodyCheck(Array.isArray, 'it is not a list of feeds');

/** Bodies are sent unchanged, because their timestamps do not fit a number. */
export function createPriceRouterClient(http: HttpService, symbolsHttp: HttpService) {
  const post = (path: string) => {
    const call = (body: string, priority: CallPriority) =>
      http.call({ method: 'POST', path, body, priority, check: checkPrices });
    return textAndValueCalls(http, call, readRouterPrices);
  };
  // The route needs no key, so a rejected key must not make the symbols unavailable.
  const call = { method: 'GET', path: '/v1/symbols', keyUse: 'optional', check: checkSymbols } as const;
  const getSymbols = (query: string, priority: CallPriority) =>
    symbolsHttp.call({ ...call, query, priority });
  const [latestPriceText, latestPrice] = post('/v1/latest_price');
  const [priceText, price] = post('/v1/price');
  const [symbolsText, symbols] = textAndValueCalls(symbolsHttp, getSymbols, readRouterSymbols);
  return { http, symbolsHttp, latestPriceText, latestPrice, priceText, price, symbolsText, symbols };
}

/** Formats of signed payloads. An answer may consist of just one of them. */
const FORMATS = ['evm', 'solana', 'leEcdsa', 'leUnsigned'];

const checkPrices = jsonBodyCheck(
  (value) => isJsonObject(value) && ['parsed', ...FORMATS].some((name) => isJsonObject(value[name])),
  'it has neither prices nor a signed payload',
);

const checkSymbols = jsonBodyCheck(Array.isArray, 'it is not a list of symbols');
