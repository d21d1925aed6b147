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
  /** 0 means any free port, which also replaces a port that is taken. */
  port: number;
  host?: string;
  seed: number;
  /** Past rows. */
  records: number;
  /** Unix ms, base of the sandbox clock. */
  now?: () => number;
  /** If absent, the state is private. */
  clockState?: Float64Array;
};

/** Services read them for every answer. */
type SandboxModes = {
  logsDialect: 'text' | 'number';
  /** Generation of the signatures of the update service's old host. */
  generation: 'after' | 'before';
  /** Raw JSON texts before every log list. */
  oddRows: Map<Keeper, string[]>;
  /** Balances by network id that differ from the usual one. */
  walletWei: Map<string, bigint>;
};

export function initialModes(): SandboxModes {
  return { logsDialect: 'text', generation: 'after', oddRows: new Map(), walletWei: new Map() };
}

/** Called after an order (a path) has rewritten the past of the log services. Its promise is awaited. */
export type RewriteListener = (order: string) => Promise<void>;

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
    /** A listener that hangs must not block the control interface. */
    maxRewriteMs: 10_000,
    /** The host in the form of URLs. */
    hostName: host.includes(':') ? `[${host}]` : host,
  };
}

export type Parts = ReturnType<typeof createParts>;
