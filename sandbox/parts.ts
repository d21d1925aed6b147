import { createRpcService } from './chain/rpc-service';
import { SandboxClock } from './clock';
import { FaultBoard } from './faults';
import { LogOverlay } from './logs/log-overlay';
import { createLogService } from './logs/log-service';
import { LogWorld } from './logs/log-world';
import { KEEPERS, type Keeper } from './logs/networks';
import { createPriceServices } from './prices/services';
import { CallLog, StreamRegistry } from './responses';

export type SandboxOptions = {
  /** 0 means any free port. A port that is taken is replaced by a free one. */
  port: number;
  host?: string;
  seed: number;
  /** Number of past rows. */
  records: number;
  /** Real time on which the sandbox clock is based, in unix ms. */
  now?: () => number;
  /** Storage of the clock's state; if absent, it is private. */
  clockState?: Float64Array;
};

/** Switches of the control interface. Services read them for every answer. */
type SandboxModes = {
  /** How the log services write network_id and gas_limit. */
  logsDialect: 'text' | 'number';
  /** Generation of the signatures of the update service's old host. */
  generation: 'after' | 'before';
  /** Raw JSON texts that are prepended to every log list, by keeper. */
  oddRows: Map<Keeper, string[]>;
  /** Balances of the keeper's wallet that differ from the usual one, by network id. */
  walletWei: Map<string, bigint>;
};

export function initialModes(): SandboxModes {
  return { logsDialect: 'text', generation: 'after', oddRows: new Map(), walletWei: new Map() };
}

/** Called with the path of an order after it has rewritten the past of the log services. Its promise is awaited. */
export type RewriteListener = (order: string) => Promise<void>;

/** All parts of one sandbox except its HTTP server. */
export function createParts(options: Omit<SandboxOptions, 'port'>) {
  const { seed, records, host = '127.0.0.1' } = options;
  const clock = new SandboxClock(options.now, options.clockState);
  const modes = initialModes();
  const world = new LogWorld(seed, records, clock.now());
  const overlays = { main: new LogOverlay(world, 'main', seed), test: new LogOverlay(world, 'test', seed) };
  const streams = new StreamRegistry(clock.realNow);
  const logs = KEEPERS.map((keeper) => createLogService(keeper, { overlay: overlays[keeper], clock, modes }));
  return {
    seed,
    records,
    clock,
    modes,
    world,
    overlays,
    streams,
    services: [
      ...logs,
      ...createPriceServices({ clock, seed, generation: () => modes.generation }),
      createRpcService({ overlays, clock, modes }),
    ],
    faults: new FaultBoard(clock.realNow, streams),
    calls: new CallLog(),
    rewrites: new Set<RewriteListener>(),
    /** Timeout of a listener, so that one that hangs does not block the control interface. */
    maxRewriteMs: 10_000,
    /** Host name as it is written in URLs. */
    hostName: host.includes(':') ? `[${host}]` : host,
  };
}

export type Parts = ReturnType<typeof createParts>;
