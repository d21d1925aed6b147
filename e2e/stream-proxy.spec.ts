import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, test } from './dashboard';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const STREAMS = [`/api/feeds/stream?ids=${BTC}`, `/api/updates/v2/updates/price/stream?ids[]=${BTC}`];

/** A proxy gives up a connection on which nothing comes for 60 s; this one is less patient. */
const IDLE_MS = 25_000;

type Reading = { head: IncomingMessage; text(): string; ended(): boolean; close(): void };

function read(url: string, headers: Record<string, string> = {}): Promise<Reading> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (head) => {
      let text = '';
      let ended = false;
      head.on('data', (chunk) => (text += chunk));
      head.on('close', () => {
        ended = true;
      });
      head.on('error', () => {});
      resolve({ head, text: () => text, ended: () => ended, close: () => head.destroy() });
    }).on('error', reject);
  });
}

async function impatientProxy(target: string): Promise<{ origin: string; close(): void }> {
  const { hostname, port } = new URL(target);
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    // Only what comes from the dashboard counts, as with a proxy's time-out for reading.
    far.setTimeout(IDLE_MS, () => far.destroy());
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
}

test('my client offers gzip? The streams come as they are, and at once', async ({ dashboard }) => {
  for (const path of STREAMS) {
    const stream = await read(dashboard.origin + path, { 'accept-encoding': 'gzip, br' });
    expect(stream.head.headers['content-encoding']).toBeUndefined();
    expect(stream.head.headers['cache-control']).toContain('no-transform');
    await expect.poll(stream.text).toContain('data:');
    stream.close();
  }
});

test('a proxy cuts what is idle, and no prices come? The streams say that they are there often enough', async ({
  control,
  dashboard,
}) => {
  test.setTimeout(120_000);
  const proxy = await impatientProxy(dashboard.origin);
  const streams = await Promise.all(STREAMS.map((path) => read(proxy.origin + path)));
  for (const stream of streams) await expect.poll(stream.text).toContain('data:');
  await control.clock({ stopped: true });
  const since = Date.now();
  await expect.poll(() => Date.now() - since, { timeout: 60_000 }).toBeGreaterThan(IDLE_MS + 8_000);
  expect(streams.map((stream) => stream.ended())).toEqual([false, false]);
  for (const stream of streams) stream.close();
  proxy.close();
});
