import type { ServerResponse } from 'node:http';
import { flag } from '@/sandbox/query-values';
import { replyJson, type SandboxRequest, type SandboxService, type ServiceLabel } from '@/sandbox/service';
import type { PriceModel } from './price-model';
import type { Generation } from './signers';
import {
  atTimeAnswer,
  deprecatedAnswer,
  directoryAnswer,
  latestAnswer,
  readUpdateQuery,
  type UpdateSource,
  updateBody,
} from './update-answers';
import type { UpdateBlobs } from './update-blobs';
import { type PriceClock, UpdateStreams } from './update-streams';

/** One host of the simulated price update service. */
export type UpdateHost = {
  name: ServiceLabel;
  base: string;
  clock: PriceClock;
  model: PriceModel;
  blobs: UpdateBlobs;
  /** Which signers this host has now. */
  generation: () => Generation;
  realNow: () => number;
};

const ROUTES = ['latest', 'at-time', 'stream', 'deprecated', 'directory'] as const;
const AT_TIME_PATH = '/v2/updates/price/';

function findRoute(method: string, path: string): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  switch (path) {
    case '/v2/updates/price/latest':
      return 'latest';
    case '/v2/updates/price/stream':
      return 'stream';
    case '/api/get_price_feed':
      return 'deprecated';
    case '/v2/price_feeds':
      return 'directory';
    default:
      return /^\/v2\/updates\/price\/[^/]+$/.test(path) ? 'at-time' : undefined;
  }
}

/** `%35` in a path is a digit too; what can't be decoded is taken as it stands, and refused as no integer. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The simulated price update service on one host: its five routes, all of which need the key. */
export function createUpdateService(host: UpdateHost): SandboxService {
  const source = (): UpdateSource => ({
    model: host.model,
    blobs: host.blobs,
    generation: host.generation(),
    nowMs: host.clock.now(),
  });
  const streams = new UpdateStreams({
    clock: host.clock,
    realNow: host.realNow,
    body: (chosen, form) => updateBody(chosen, form, source()),
  });
  const openStream = (request: SandboxRequest, res: ServerResponse): void => {
    const asked = {
      ...readUpdateQuery(request.query),
      allowUnordered: flag(request.query, 'allow_unordered', false),
      benchmarksOnly: flag(request.query, 'benchmarks_only', false),
    };
    if (request.method === 'HEAD') res.writeHead(200, { 'content-type': 'text/event-stream' }).end();
    else streams.add(request.openStream(), asked);
  };
  const answers: Readonly<Record<string, (request: SandboxRequest) => string>> = {
    latest: ({ query }) => latestAnswer(query, source()),
    'at-time': ({ path, query }) => atTimeAnswer(decoded(path.slice(AT_TIME_PATH.length)), query, source()),
    deprecated: ({ query }) => deprecatedAnswer(query, source()),
    directory: ({ query }) => directoryAnswer(query),
  };
  return {
    name: host.name,
    base: host.base,
    routes: ROUTES,
    route: findRoute,
    keyNeeded: () => true,
    handle: (route, request, res) => {
      const make = answers[route];
      if (make) replyJson(res, 200, make(request));
      else openStream(request, res);
    },
    reset: () => host.blobs.clear(),
    close: () => streams.close(),
  };
}
