import {
  type DeprecatedFeed,
  type FeedDirectory,
  readDeprecatedFeed,
  readFeedDirectoryRows,
  readUpdateBody,
  type UpdateBody,
} from '@/lib/core/feed';
import { failed, type Outcome } from '@/lib/core/outcome';
import type { BodyCheck, HttpAnswer, HttpService, ServiceStream } from './http-service';
import { answerReader, isJsonObject, jsonBodyCheck, textOf } from './json-body';
import type { CallPriority } from './rate-limiter';
import { plainAnswerText } from './service-failure';

/**
 * The price update service on one host (interface B of the contract). Queries are query strings without their
 * question mark. `…Text` gives the answer as the service sent it, checked to be JSON of the route's form.
 */
export type PriceUpdatesClient = {
  /** `GET /v2/updates/price/latest` */
  latestText(query: string, priority: CallPriority): Promise<Outcome<string>>;
  latest(query: string, priority: CallPriority): Promise<Outcome<UpdateBody>>;
  /** `GET /v2/updates/price/{publish_time}`; `publishTime` is unix seconds in decimal digits, else `bad-request`. */
  atTimeText(publishTime: string, query: string, priority: CallPriority): Promise<Outcome<string>>;
  atTime(publishTime: string, query: string, priority: CallPriority): Promise<Outcome<UpdateBody>>;
  /** `GET /api/get_price_feed` */
  deprecatedText(query: string, priority: CallPriority): Promise<Outcome<string>>;
  deprecated(query: string, priority: CallPriority): Promise<Outcome<DeprecatedFeed>>;
  /** `GET /v2/price_feeds`, which not every deployment has. */
  directoryText(query: string, priority: CallPriority): Promise<Outcome<string>>;
  directory(query: string, priority: CallPriority): Promise<Outcome<FeedDirectory>>;
  /** `GET /v2/updates/price/stream`: the raw bytes; the service closes it after 24 h. */
  openStream(query: string, signal: AbortSignal): Promise<Outcome<ServiceStream>>;
};

/** @param http the service at `UPDATES_URL` or `UPGRADED_UPDATES_URL`: one host never answers for the other */
export function createPriceUpdatesClient(http: HttpService): PriceUpdatesClient {
  const routes = updateRoutes(http);
  const toUpdates = answerReader(http, readUpdateBody);
  const toDeprecated = answerReader(http, readDeprecatedFeed);
  const toDirectory = answerReader(http, readFeedDirectoryRows);
  return {
    latestText: async (...of) => textOf(await routes.latest(...of)),
    latest: async (...of) => toUpdates(await routes.latest(...of)),
    atTimeText: async (...of) => textOf(await routes.atTime(...of)),
    atTime: async (...of) => toUpdates(await routes.atTime(...of)),
    deprecatedText: async (...of) => textOf(await routes.deprecated(...of)),
    deprecated: async (...of) => toDeprecated(await routes.deprecated(...of)),
    directoryText: async (...of) => textOf(await routes.directory(...of)),
    directory: async (...of) => toDirectory(await routes.directory(...of)),
    openStream: (query, signal) => http.open({ path: '/v2/updates/price/stream', query, signal }),
  };
}

type Answer = Promise<Outcome<HttpAnswer>>;

function updateRoutes(http: HttpService) {
  return {
    latest: (query: string, priority: CallPriority): Answer =>
      http.call({ method: 'GET', path: '/v2/updates/price/latest', query, priority, check: checkUpdate }),
    async atTime(publishTime: string, query: string, priority: CallPriority): Answer {
      // Nothing but digits ever becomes part of a path.
      if (!/^\d{1,19}$/.test(publishTime)) {
        return failed({ kind: 'bad-request', detail: 'The publish time must be unix seconds in digits.' });
      }
      const route = '/v2/updates/price/{publish_time}';
      const path = `/v2/updates/price/${publishTime}`;
      return http.call({ method: 'GET', path, route, query, priority, check: checkAtTime });
    },
    deprecated: (query: string, priority: CallPriority): Answer =>
      http.call({ method: 'GET', path: '/api/get_price_feed', query, priority, check: checkDeprecated }),
    directory: (query: string, priority: CallPriority): Answer =>
      http.call({ method: 'GET', path: '/v2/price_feeds', query, priority, check: checkDirectory }),
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
