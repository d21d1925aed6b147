import type { AddressInfo } from 'node:net';
import { createParts } from '@/sandbox/parts';
import { createSandboxServer } from '@/sandbox/server';
import type { SandboxService } from '@/sandbox/service';
import { createPriceServices } from './services';

/** Friday 2026-11-20, 12:00 UTC. */
export const NOON_MS = Date.UTC(2026, 10, 20, 12);

export type PriceHarness = Awaited<ReturnType<typeof startPriceHarness>>;

function withoutKeys(routes: SandboxService['routes']): SandboxService['routes'] {
  return Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [name, { ...route, isPublic: true }]),
  );
}

/** The real HTTP server without keys. Time stands still until `advance` moves the real clock in ticks of 50 ms. */
export async function startPriceHarness(seed = 1, startMs = NOON_MS) {
  let real = startMs;
  const ticks = new Set<() => void>();
  const parts = createParts({ seed, records: 0, now: () => real });
  const { clock, streams } = parts;
  const every = (_ms: number, run: () => void) => {
    ticks.add(run);
    return () => void ticks.delete(run);
  };
  const services = createPriceServices({ clock, seed, generation: () => 'after', every });
  const server = createSandboxServer({
    ...parts,
    services: services.map(({ routes, ...service }) => ({ ...service, routes: withoutKeys(routes) })),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clock,
    services,
    streams,
    isTicking: () => ticks.size > 0,
    advance: (ms: number) => {
      for (let passed = 0; passed < ms; passed += 50) {
        real += 50;
        for (const run of [...ticks]) run();
      }
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
