import type { AddressInfo } from 'node:net';
import { SandboxClock } from '@/sandbox/clock';
import { FaultBoard } from '@/sandbox/faults';
import { StreamRegistry } from '@/sandbox/responses';
import { CallLog, createSandboxServer, type SandboxService } from '@/sandbox/server';
import { createPriceServices } from './services';

/** Friday 2026-11-20, 12:00 UTC. */
export const NOON_MS = Date.UTC(2026, 10, 20, 12);

/**
 * The price services behind a plain HTTP server, for the tests: no keys, no faults, and a time that stands
 * still until `advance` moves the real clock (and with it the sandbox's) in ticks of 50 ms.
 */
export type PriceHarness = {
  origin: string;
  clock: SandboxClock;
  services: SandboxService[];
  streams: StreamRegistry;
  advance(ms: number): void;
  /** Whether anything still listens to the clock. */
  isTicking(): boolean;
  close(): Promise<void>;
};

function withoutKeys(routes: SandboxService['routes']): SandboxService['routes'] {
  return Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [name, { ...route, isPublic: true }]),
  );
}

type Edge = { real: number; ticks: Set<() => void> };

/** A clock whose real time is `edge.real`, and which ticks only when `edge.ticks` are run. */
function handClock(edge: Edge): SandboxClock {
  return new SandboxClock(
    () => edge.real,
    (_ms, run) => {
      edge.ticks.add(run);
      return () => edge.ticks.delete(run);
    },
  );
}

/** Starts on a free port of the loopback address. */
export async function startPriceHarness(seed = 1, startMs = NOON_MS): Promise<PriceHarness> {
  const edge: Edge = { real: startMs, ticks: new Set() };
  const clock = handClock(edge);
  const realNow = () => edge.real;
  const streams = new StreamRegistry(realNow);
  const services = createPriceServices({ clock, seed, generation: () => 'after', realNow });
  const server = createSandboxServer({
    ...{ clock, streams, calls: new CallLog(), faults: new FaultBoard(realNow), after: () => undefined },
    services: services.map(({ routes, ...service }) => ({ ...service, routes: withoutKeys(routes) })),
    control: async () => {},
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const harness: PriceHarness = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ clock, services, streams },
    isTicking: () => edge.ticks.size > 0,
    advance: (ms) => {
      for (let passed = 0; passed < ms; passed += 50) {
        edge.real += 50;
        for (const run of [...edge.ticks]) run();
      }
    },
    close: async () => {
      for (const stream of streams.of('*')) stream.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return harness;
}
