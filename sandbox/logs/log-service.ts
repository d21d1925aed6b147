import type { SandboxClock } from '@/sandbox/clock';
import { getRoute, Refusal, type SandboxService } from '@/sandbox/service';
import type { LogOverlay } from './log-overlay';
import { readLogQuery, UNSUPPORTED_CHAIN } from './log-query';
import { type Dialect, providerNumber, rowTexts } from './log-row';
import { type Keeper, NETWORKS, networkAt } from './networks';

type LogServiceSource = {
  overlay: LogOverlay;
  clock: SandboxClock;
  modes: { logsDialect: Dialect; oddRows: ReadonlyMap<Keeper, string[]> };
};

export function createLogService(keeper: Keeper, source: LogServiceSource): SandboxService {
  const { overlay, clock } = source;
  const networks = NETWORKS.filter((network) => network.keeper === keeper);
  return {
    name: `logs:${keeper}`,
    base: `/logs/${keeper}`,
    routes: {
      logs: getRoute('/v1/logs', ({ query }) => logsJson(keeper, source, query)),
      chains: getRoute('/v1/chains', () => JSON.stringify(networks.map(({ chainName }) => chainName))),
      configs: getRoute('/v1/chains/configs', () => configsJson(networks, source)),
      revelations: getRoute(REVELATION, ({ path }) => revelationJson(keeper, source, path)),
    },
    clockOffMs: () => overlay.clockOffMs(clock.now()),
  };
}

/** Odd rows come before all others regardless of filters, and are included in the total. */
async function logsJson(
  keeper: Keeper,
  { overlay, clock, modes }: LogServiceSource,
  query: URLSearchParams,
): Promise<string> {
  const { mixer } = overlay.world;
  const logQuery = readLogQuery(query, keeper, mixer);
  const { network, offset, limit } = logQuery;
  const nowMs = clock.now();
  if (network !== undefined && overlay.starting(nowMs)?.networks.includes(network)) {
    throw new Refusal(400, UNSUPPORTED_CHAIN);
  }
  const oddRows = modes.oddRows.get(keeper) ?? [];
  const first = oddRows.slice(offset, offset + limit);
  const behind = { offset: Math.max(0, offset - oddRows.length), limit: limit - first.length };
  const page = overlay.page({ ...logQuery, ...behind }, nowMs);
  const texts = await rowTexts(mixer, page.rows, modes.logsDialect);
  return `{"requests":[${[...first, ...texts].join()}],"total_results":${page.total + oddRows.length}}`;
}

const REVELATION = /^\/v1\/chains\/([a-z0-9-]+)\/revelations\/(\d{1,15})$/;

/** The revelation of the keeper's first provider, as hex without 0x. */
function revelationJson(keeper: Keeper, { overlay, clock }: LogServiceSource, path: string): string {
  const [, chainName, sequence] = REVELATION.exec(path) ?? [];
  const number = NETWORKS.findIndex(
    (network) => network.keeper === keeper && network.chainName === chainName,
  );
  if (number < 0) throw new Refusal(400, UNSUPPORTED_CHAIN);
  const row = overlay
    .requests(clock.now())
    .find(
      (request) =>
        request.network === number && request.provider === 0 && request.sequence === Number(sequence),
    );
  if (row === undefined)
    throw new Refusal(403, 'The request with the given sequence number could not be retrieved');
  return JSON.stringify({ value: { encoding: 'hex', data: providerNumber(row) } });
}

/** A network that is starting may have the id 0. */
function configsJson(networks: typeof NETWORKS, { overlay, clock, modes }: LogServiceSource): string {
  const starting = overlay.starting(clock.now());
  const unready = starting?.zero ? starting.networks.map(networkAt) : [];
  const integer = modes.logsDialect === 'text' ? String : Number;
  return JSON.stringify(
    networks.map((network) => ({
      name: network.chainName,
      network_id: integer(unready.includes(network) ? 0 : network.networkId),
      contract_addr: network.contract,
      reveal_delay_blocks: network.delayBlocks,
      gas_limit: integer(network.gasLimit),
      default_fee: network.fee,
    })),
  );
}
