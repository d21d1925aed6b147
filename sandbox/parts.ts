import { SandboxClock } from './clock';
import { FaultBoard } from './faults';
import { LogOverlay } from './logs/log-overlay';
import { createLogService } from './logs/log-service';
import { LogWorld } from './logs/log-world';
import { KEEPERS, type Keeper } from './logs/networks';
import { createPriceServices } from './prices/services';
import { CallLog, StreamRegistry } from './responses';

export type SandboxOptions = {
  /** 0: a free one. A taken port is replaced by a free one. */
  port: number;
  host?: string;
  seed: number;
  /** Rows of the past. */
  records: number;
  /** The real time that the sandbox clock follows, in unix milliseconds. */
  now?: () => number;
  /** Where the state of the sandbox clock is kept; absent: nobody else reads it. */
  clockState?: Float64Array;
};

/** What the control interface switches and the services look at with every answer. */
export type SandboxModes = {
  /** How the log services write network_id and gas_limit. */
  logsDialect: 'text' | 'number';
  /** Which generation of signatures the old host of the update service gives. */
  generation: 'after' | 'before';
  /** Raw JSON texts put in front of every log list, by keeper. */
  oddRows: Map<Keeper, string[]>;
};

/** Hears of an order that has rewritten the past of the log services, by its path; what it returns is awaited. */
export type RewriteListener = (order: string) => Promise<void>;

/** Everything of one sandbox but its HTTP server. */
export function createParts(options: Omit<SandboxOptions, 'port'>) {
  const { seed, records, host = '127.0.0.1' } = options;
  const clock = new SandboxClock(options.now, options.clockState);
  const modes: SandboxModes = { logsDialect: 'text', generation: 'after', oddRows: new Map() };
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
    services: [...logs, ...createPriceServices({ clock, seed, generation: () => modes.generation })],
    faults: new FaultBoard(clock.realNow, streams),
    calls: new CallLog(),
    rewrites: new Set<RewriteListener>(),
    /** A listener that hangs must not hold the control interface for ever. */
    maxRewriteMs: 10_000,
    /** As it stands in URLs. */
    hostName: host.includes(':') ? `[${host}]` : host,
  };
}

export type Parts = ReturnType<typeof createParts>;
