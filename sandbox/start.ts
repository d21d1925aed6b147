import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { SandboxClock } from './clock';
import { endFaults, handleControl, type RewriteListener, type SandboxModes } from './control';
import { FaultBoard } from './faults';
import { LogOverlay } from './logs/log-overlay';
import { createLogService } from './logs/log-service';
import { LogWorld } from './logs/log-world';
import { KEEPERS, type Keeper } from './logs/networks';
import { createPriceServices } from './prices/services';
import { StreamRegistry } from './responses';
import { CallLog, createSandboxServer, SANDBOX_KEY } from './server';

export { SANDBOX_KEY };

type SandboxOptions = {
  /** 0: a free one. A taken port is replaced by a free one. */
  port: number;
  host?: string;
  seed: number;
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
  /** Called when an order has rewritten the past of the log services, which waits for the promise, 10 s at most. */
  onRewrite(listener: RewriteListener): void;
  close(): Promise<void>;
};

/** Starts the simulated services on one port. Rejects when not even a free port can be had. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const { port: wanted, host = '127.0.0.1' } = options;
  const hostInUrl = host.includes(':') ? `[${host}]` : host;
  const parts = createParts(options);
  const { clock, rewrites } = parts;
  const context = {
    ...{ ...parts, maxRewriteMs: 10_000, reset: () => reset(parts) },
    hostNames: ['localhost', '127.0.0.1', '[::1]', hostInUrl.toLowerCase()],
  };
  const control = (...call: Parameters<typeof handleControl> extends [unknown, ...infer R] ? R : never) =>
    handleControl(context, ...call);
  const server = createSandboxServer({ ...parts, control });
  await listen(server, wanted, host);
  const origin = `http://${hostInUrl}:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    addresses: {
      logs: { main: `${origin}/logs/main`, test: `${origin}/logs/test` },
      updates: `${origin}/updates`,
      upgraded: `${origin}/upgraded/hermes`,
      router: `${origin}/router`,
      control: `${origin}/control`,
    },
    now: () => clock.now(),
    onRewrite: (listener) => rewrites.add(listener),
    close: async () => {
      clock.dispose();
      for (const stream of parts.streams.of('*')) stream.destroy();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Parts = ReturnType<typeof createParts>;

function createParts({ seed, records, now }: SandboxOptions) {
  const realNow = () => performance.now();
  const clock = new SandboxClock(now);
  const modes: SandboxModes = { logsDialect: 'text', generation: 'after', oddRows: new Map() };
  const world = new LogWorld(seed, records, clock.now());
  const overlays = {
    main: new LogOverlay(world, 'main', seed),
    test: new LogOverlay(world, 'test', seed),
  };
  const logs = KEEPERS.map((keeper) => createLogService(keeper, { overlay: overlays[keeper], clock, modes }));
  const prices = createPriceServices({ clock, seed, generation: () => modes.generation });
  return {
    ...{ seed, records, realNow, clock, modes, world, overlays },
    services: [...logs, ...prices],
    faults: new FaultBoard(realNow),
    after: (ms: number, run: () => void) => void setTimeout(run, ms).unref(),
    streams: new StreamRegistry(realNow),
    calls: new CallLog(),
    rewrites: new Set<RewriteListener>(),
  };
}

/** As though the sandbox had been started now; open streams stay open. */
function reset(parts: Parts): void {
  const { calls, modes, clock, world, overlays } = parts;
  endFaults(parts);
  calls.clear();
  modes.logsDialect = 'text';
  modes.generation = 'after';
  modes.oddRows.clear();
  clock.reset();
  world.restart(clock.now());
  for (const keeper of KEEPERS) overlays[keeper].end();
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' || port === 0) reject(error);
      else listen(server, 0, host).then(resolve, reject);
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}
