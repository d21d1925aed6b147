import type { ServerResponse } from 'node:http';
import { Refusal } from '@/sandbox/query-values';
import { replyJson, type SandboxRequest, type SandboxService } from '@/sandbox/service';
import type { LogOverlay } from './log-overlay';
import { type LogQuery, readLogQuery, UNSUPPORTED_CHAIN } from './log-query';
import type { LogWorld } from './log-world';
import { type Keeper, NETWORKS, type SimulatedNetwork } from './networks';
import { type Dialect, rowTexts } from './row-writer';

const ROUTES: Record<string, string> = {
  '/v1/logs': 'logs',
  '/v1/chains': 'chains',
  '/v1/chains/configs': 'configs',
};

type LogServiceSource = {
  world: LogWorld;
  /** What orders make of the rows of this keeper. */
  overlay: LogOverlay;
  /** Sandbox time in unix milliseconds. */
  now: () => number;
  dialect: () => Dialect;
  /** Raw JSON texts in front of every list of this keeper. */
  oddRows: () => readonly string[];
};

/** The request log service of one keeper. */
export function createLogService(keeper: Keeper, source: LogServiceSource): SandboxService {
  const networks = NETWORKS.filter((network) => network.keeper === keeper);

  return {
    name: `logs:${keeper}`,
    base: `/logs/${keeper}`,
    routes: Object.values(ROUTES),
    route: (method, path) =>
      (method === 'GET' || method === 'HEAD') && Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined,
    keyNeeded: () => true,
    clockOffMs: () => source.overlay.clockOffMs(source.now()),
    reset: () => source.overlay.end(),
    async handle(route: string, request: SandboxRequest, res: ServerResponse) {
      if (route === 'logs') return answerLogs(keeper, source, request, res);
      if (route === 'chains') {
        return replyJson(res, 200, JSON.stringify(networks.map(({ chainName }) => chainName)));
      }
      replyJson(res, 200, configsJson(networks, source));
    },
  };
}

async function answerLogs(
  keeper: Keeper,
  source: LogServiceSource,
  request: SandboxRequest,
  res: ServerResponse,
): Promise<void> {
  const query = readLogQuery(request.query, keeper);
  const { network } = query.filter;
  const starting = source.overlay.starting(source.now());
  if (network !== undefined && starting?.networks.includes(network)) {
    throw new Refusal(400, UNSUPPORTED_CHAIN);
  }
  replyJson(res, 200, await logsJson(source, query));
}

/**
 * The body of a log list, of the moment of the call. Odd rows stand before all others, whatever the filter,
 * and count in the total.
 */
async function logsJson(source: LogServiceSource, query: LogQuery): Promise<string> {
  const { world, overlay } = source;
  const { offset, limit } = query;
  const odd = source.oddRows();
  const first = odd.slice(offset, offset + limit);
  const behind = { offset: Math.max(0, offset - odd.length), limit: limit - first.length };
  const page = overlay.page({ ...query, ...behind }, source.now());
  const texts = await rowTexts(world.mixer, page.rows, source.dialect());
  return `{"requests":[${[...first, ...texts].join(',')}],"total_results":${page.total + odd.length}}`;
}

/** A network that is not ready may be there with 0 for its id. */
function configsJson(networks: readonly SimulatedNetwork[], source: LogServiceSource): string {
  const dialect = source.dialect();
  const starting = source.overlay.starting(source.now());
  const unready = starting?.zero ? starting.networks.map((number) => NETWORKS[number]) : [];
  const integer = (digits: string) => (dialect === 'text' ? `"${digits}"` : digits);
  const configs = networks.map(
    (one) =>
      `{"name":"${one.chainName}","network_id":${integer(unready.includes(one) ? '0' : one.networkId)},` +
      `"contract_addr":"${one.contract}","reveal_delay_blocks":${one.delayBlocks},` +
      `"gas_limit":${integer(String(one.gasLimit))},"default_fee":${one.fee}}`,
  );
  return `[${configs.join(',')}]`;
}
