import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { SandboxClock } from './clock';
import { handleControl, type RewriteListener, RewriteListeners, type SandboxModes } from './control';
import { FaultBoard, FaultTimers } from './faults';
import { LogOverlay } from './logs/log-overlay';
import { createLogService } from './logs/log-service';
import { LogWorld } from './logs/log-world';
import { KEEPERS, type Keeper } from './logs/networks';
import { createPriceServices } from './prices/services';
import { CallLog, createSandboxServer } from './server';
import { type PlainRequest, SANDBOX_KEY, StreamRegistry } from './service';

/** What the sandbox is started with when it runs alone. */
type SandboxSettings = { port: number; seed: number; records: number };

const NUMBERS = [
  { variable: 'SANDBOX_PORT', member: 'port', fallback: 4010, max: 65_535 },
  { variable: 'SANDBOX_SEED', member: 'seed', fallback: 1, max: Number.MAX_SAFE_INTEGER },
  { variable: 'SANDBOX_RECORDS', member: 'records', fallback: 50_000, max: 2_000_000 },
] as const;

/** Reads the settings of the sandbox; a problem is one line that names the variable, never its value. */
export function readSandboxSettings(
  env: Record<string, string | undefined>,
): { ok: true; settings: SandboxSettings } | { ok: false; problem: string } {
  const settings: SandboxSettings = { port: 0, seed: 0, records: 0 };
  for (const { variable, member, fallback, max } of NUMBERS) {
    const text = env[variable]?.trim();
    const value = text === undefined || text === '' ? fallback : /^\d{1,16}$/.test(text) ? Number(text) : -1;
    if (value < 0 || value > max) {
      return { ok: false, problem: `${variable} must be a whole number from 0 to ${max}` };
    }
    settings[member] = value;
  }
  return { ok: true, settings };
}

export { SANDBOX_KEY };

type SandboxOptions = {
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
  const context = {
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
  const overlays = {
    main: new LogOverlay(world, 'main', seed),
    test: new LogOverlay(world, 'test', seed),
  };
  const logs = KEEPERS.map((keeper) =>
    createLogService(keeper, {
      ...{ world, overlay: overlays[keeper] },
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
