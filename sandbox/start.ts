import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Keeper, NETWORKS } from './logs/networks';
import { createParts, type RewriteListener, type SandboxOptions } from './parts';
import { createSandboxServer } from './server';
import { SANDBOX_KEY } from './service';

export { SANDBOX_KEY };

export type RunningSandbox = {
  /** Origin without a trailing slash. */
  origin: string;
  addresses: {
    logs: Record<Keeper, string>;
    updates: string;
    upgraded: string;
    router: string;
    /** Addresses by network id. */
    rpc: Record<string, string>;
    control: string;
  };
  /** Sandbox clock, unix ms. */
  now(): number;
  /** An order that has rewritten the past of the log services waits for the listener's promise, at most 10 s. */
  onRewrite(listener: RewriteListener): void;
  close(): Promise<void>;
};

/** Rejects if not even a free port is available. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const parts = createParts(options);
  const server = createSandboxServer(parts);
  await listen(server, options.port, options.host ?? '127.0.0.1');
  const origin = `http://${parts.hostName}:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    addresses: {
      logs: { main: `${origin}/logs/main`, test: `${origin}/logs/test` },
      updates: `${origin}/updates`,
      upgraded: `${origin}/upgraded/hermes`,
      router: `${origin}/router`,
      rpc: Object.fromEntries(NETWORKS.map(({ networkId }) => [networkId, `${origin}/rpc/${networkId}`])),
      control: `${origin}/control`,
    },
    now: () => parts.clock.now(),
    onRewrite: (listener) => parts.rewrites.add(listener),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
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
