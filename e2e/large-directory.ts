import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Symbols of each list. */
const COUNT = 3_000;

/** Serves two large lists: those of both services, with one hostile symbol and three rows without a feed id. */
export async function startLargeDirectory(): Promise<{ origin: string; stop: () => void }> {
  const hex = (n: number) => (n + 1).toString(16).padStart(64, '0');
  const symbols = Array.from({ length: COUNT }, (_, n) => ({
    pyth_lazer_id: n + 1,
    name: `C${n}USD`,
    symbol: n === 1_700 ? `Crypto.\u202e${'W'.repeat(5_000)}<img>/USD` : `Crypto.C${n}/USD`,
    description: `COIN ${n} / US DOLLAR`,
    asset_type: n % 3 === 0 ? 'fx' : 'crypto',
    exponent: -8,
    min_channel: n % 2 ? 'real_time' : 'fixed_rate@50ms',
    state: n % 7 === 0 ? 'half_asleep' : 'stable',
    hermes_id: n % 10 === 0 ? null : hex(n),
  }));
  const entries = symbols.flatMap(({ hermes_id: id, symbol }) =>
    id === null ? [] : { id, attributes: { symbol } },
  );
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    const list = request.url?.startsWith('/v1/symbols')
      ? [{ name: 'no id' }, 7, ...symbols]
      : [{ id: 'too short' }, ...entries];
    response.end(JSON.stringify(list));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, stop: () => void server.close() };
}
