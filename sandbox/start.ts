import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { createPriceServices } from '@/sandbox/prices/services';
import { CallLog } from './calls';
import { SandboxClock } from './clock';
import { type ControlContext, handleControl, type SandboxModes } from './control';
import { FaultTimers } from './fault-actions';
import { FaultBoard } from './faults';
import { LogOverlay } from './logs/log-overlay';
import { createLogService } from './logs/log-service';
import { LogWorld } from './logs/log-world';
import { KEEPERS, type Keeper } from './logs/networks';
import { type RewriteListener, RewriteListeners } from './rewrite-listeners';
import { createScenarios } from './scenarios/scenarios';
import { createSandboxServer, type PlainRequest } from './server';
import { SANDBOX_KEY } from './service';
import { StreamRegistry } from './streams';

export { SANDBOX_KEY };

export type SandboxOptions = {
  /** 0: a free one. A taken port is replaced by a free one. */
  port: number;
  host?: string;
  seed: number;
  /** Log rows of the past, of both keepers together. */
  records: number;
  /** The real time that the sandbox clock follows, in unix milliseconds. */
  now?: () => number;
};

export type RunningSandbox = {
  /** Without a slash at its end. */
  origin: string;
  addresses: {
    logs: Record<Keeper, string>;
    updates: string;
    upgraded: string;
    router: string;
    control: string;
  };
  /** The time of the sandbox clock, in unix milliseconds. */
  now(): number;
  /**
   * Calls `listener` whenever the control interface has rewritten the past of the log services (reset, clock
   * set, scenario, rows, dialect), and answers that order when the promise is settled, 10 s later at most.
   * Orders for single rows (late, vanished, ...) are none of these. Returns the function that ends it.
   */
  onRewrite(listener: RewriteListener): () => void;
  /** Ends open streams and connections and frees the port. */
  close(): Promise<void>;
};

/** Starts the simulated services on one port. Rejects when not even a free port can be had. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const host = options.host ?? '127.0.0.1';
  const parts = createParts(options);
  const context: ControlContext = {
    ...parts,
    hostNames: ['localhost', '127.0.0.1', '[::1]', hostInUrl(host).toLowerCase()],
    reset: () => reset(parts),
  };
  const control = (request: PlainRequest, res: ServerResponse) => handleControl(context, request, res);
  const server = createSandboxServer({ ...parts, control });
  await listen(server, options.port, host);
  return running(server, host, parts);
}

type Parts = ReturnType<typeof createParts>;

function createParts({ seed, records, now }: SandboxOptions) {
  const realNow = () => performance.now();
  const clock = new SandboxClock(now);
  const modes: SandboxModes = { logsDialect: 'text', generation: 'after', oddRows: new Map() };
  const world = new LogWorld(seed, records, clock.now());
  const overlays = new Map(KEEPERS.map((keeper) => [keeper, new LogOverlay(world, keeper, seed)] as const));
  const logs = [...overlays].map(([keeper, overlay]) =>
    createLogService(keeper, {
      ...{ world, overlay },
      now: () => clock.now(),
      dialect: () => modes.logsDialect,
      oddRows: () => modes.oddRows.get(keeper) ?? [],
    }),
  );
  const prices = createPriceServices({ clock, seed, generation: () => modes.generation });
  return {
    ...{ seed, records, realNow, clock, modes, world, overlays },
    services: [...logs, ...prices],
    faults: new FaultBoard(realNow),
    timers: new FaultTimers(),
    streams: new StreamRegistry(realNow),
    calls: new CallLog(),
    scenarios: createScenarios(world, seed),
    rewrites: new RewriteListeners(),
  };
}

/** As though the sandbox had been started now; open streams stay open. */
function reset({ faults, calls, streams, modes, clock, world, services }: Parts): void {
  faults.clear();
  calls.clear();
  streams.silence({ service: '*' }, 0);
  modes.logsDialect = 'text';
  modes.generation = 'after';
  modes.oddRows.clear();
  clock.reset();
  world.restart(clock.now());
  for (const service of services) service.reset?.();
}

async function close(server: Server, { timers, clock, services, streams }: Parts): Promise<void> {
  timers.clear();
  clock.dispose();
  for (const service of services) service.close?.();
  streams.destroyAll();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

function running(server: Server, host: string, parts: Parts): RunningSandbox {
  const { port } = server.address() as AddressInfo;
  const origin = `http://${hostInUrl(host)}:${port}`;
  return {
    origin,
    addresses: {
      logs: { main: `${origin}/logs/main`, test: `${origin}/logs/test` },
      updates: `${origin}/updates`,
      upgraded: `${origin}/upgraded/hermes`,
      router: `${origin}/router`,
      control: `${origin}/control`,
    },
    now: () => parts.clock.now(),
    onRewrite: (listener) => parts.rewrites.add(listener),
    close: () => close(server, parts),
  };
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  try {
    await listenOn(server, port, host);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (!isTaken || port === 0) throw error;
    await listenOn(server, 0, host);
  }
}

function listenOn(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}
