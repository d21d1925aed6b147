import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from './dashboard';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

/** A site of somebody else, under another name than the dashboard's. */
async function withOtherSite(use: (origin: string) => Promise<void>): Promise<void> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>other</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://localhost:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a page of another site reads, posts or listens from somebody’s browser? It gets nothing, and no service is called', async ({
  control,
  dashboard,
  page,
}) => {
  await withOtherSite(async (site) => {
    await page.goto(site);
    await control.forgetCalls();
    const outcomes = await page.evaluate(
      async ([origin, feed]) => {
        const tried = (path: string, init: RequestInit) =>
          fetch(origin + path, init).then(
            async (answer) => (await answer.text()).slice(0, 80),
            () => 'nothing',
          );
        const stream = new Promise<string>((resolve) => {
          const source = new EventSource(`${origin}/api/feeds/stream?ids=${feed}`);
          for (const name of ['snapshot', 'update', 'message'])
            source.addEventListener(name, ({ data }) => resolve(data));
          source.onerror = () => resolve('nothing');
        });
        const body = JSON.stringify({ channel: 'real_time', priceFeedIds: [1], properties: ['price'] });
        return Promise.all([
          tried('/api/logs/v1/logs?limit=3&from=elsewhere', {}),
          tried('/api/router/v1/latest_price', { method: 'POST', body }),
          tried('/api/view/services', { method: 'POST', body: '{}' }),
          // What a script may send without asking, and may not read: the answer is empty then.
          tried('/api/router/v1/latest_price', { method: 'POST', mode: 'no-cors', body }).then(
            (text) => text || 'nothing',
          ),
          stream,
        ]);
      },
      [dashboard.origin, BTC] as const,
    );
    expect(outcomes).toEqual(['nothing', 'nothing', 'nothing', 'nothing', 'nothing']);
    expect((await control.calls('router', 'latest-price')).total).toBe(0);
    const { calls } = await control.calls('logs:main');
    expect(calls.filter(({ query }) => query.includes('elsewhere'))).toEqual([]);
  });
});
