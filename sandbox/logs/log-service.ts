import type { ServerResponse } from 'node:http';
import { replyJson, replyText, type SandboxRequest, type SandboxService } from '@/sandbox/service';
import type { RowPage } from './log-index';
import { type LogQuery, readLogQuery, type Search } from './log-query';
import type { LogWorld } from './log-world';
import { type Keeper, NETWORKS } from './networks';
import { type Dialect, rowTexts } from './row-writer';

const ROUTES: Record<string, string> = {
  '/v1/logs': 'logs',
  '/v1/chains': 'chains',
  '/v1/chains/configs': 'configs',
};

export type LogServiceSource = {
  world: LogWorld;
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
    async handle(route: string, request: SandboxRequest, res: ServerResponse) {
      if (route === 'logs') return answerLogs(keeper, source, request, res);
      if (route === 'chains') {
        return replyJson(res, 200, JSON.stringify(networks.map(({ chainName }) => chainName)));
      }
      replyJson(res, 200, configsJson(networks, source.dialect()));
    },
  };
}

async function answerLogs(
  keeper: Keeper,
  source: LogServiceSource,
  request: SandboxRequest,
  res: ServerResponse,
): Promise<void> {
  const read = readLogQuery(request.query, keeper);
  if (!read.ok) return replyText(res, 400, read.text);
  replyJson(res, 200, await logsJson(source, read.query));
}

/**
 * The body of a log list, of the moment of the call. Odd rows stand before all others, whatever the filter,
 * and count in the total.
 */
async function logsJson(source: LogServiceSource, query: LogQuery): Promise<string> {
  const { world } = source;
  const { offset, limit } = query;
  const odd = source.oddRows();
  const first = odd.slice(offset, offset + limit);
  world.moveTo(source.now());
  const page = findRows(world, query, Math.max(0, offset - odd.length), limit - first.length);
  const rows = page.rows.map((row) => world.wireRow(row));
  const texts = await rowTexts(world.mixer, rows, source.dialect());
  return `{"requests":[${[...first, ...texts].join(',')}],"total_results":${page.total + odd.length}}`;
}

function findRows(world: LogWorld, { filter, search }: LogQuery, offset: number, limit: number): RowPage {
  if (!search) return world.index.page(filter, offset, limit);
  return world.index.pageOf(candidates(world, search), filter, offset, limit);
}

function candidates(world: LogWorld, search: Search): Iterable<number> {
  switch (search.kind) {
    case 'transaction':
      return world.rowsOfTransaction(search.hash);
    case 'sender':
      return world.rowsOfSender(search.address);
    case 'sequence':
      return world.index.ofSequence(search.sequence);
  }
}

function configsJson(networks: readonly (typeof NETWORKS)[number][], dialect: Dialect): string {
  const integer = (digits: string) => (dialect === 'text' ? `"${digits}"` : digits);
  const configs = networks.map(
    (one) =>
      `{"name":"${one.chainName}","network_id":${integer(one.networkId)},"contract_addr":"${one.contract}",` +
      `"reveal_delay_blocks":${one.delayBlocks},"gas_limit":${integer(String(one.gasLimit))},` +
      `"default_fee":${one.fee}}`,
  );
  return `[${configs.join(',')}]`;
}
