import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSettings } from '@/lib/platform/settings';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { replyWithNetworks } from '@/lib/services/network-directory';
import { jsonReply, ownAction, ownRoute } from './reply';

beforeEach(() => replaceSettings(readSettings({})));
afterEach(() => replaceSettings(undefined));

const handle = ownRoute(() => jsonReply({ status: 'ok' }));
const send = (init: RequestInit = {}, host = 'localhost:3000') =>
  handle(new Request('http://localhost:3000/api/health', { ...init, headers: { host, ...init.headers } }));

it('refuses other methods, other host names and other sites with a problem', async () => {
  expect(await (await send({ method: 'DELETE' })).json()).toMatchObject({ kind: 'method' });
  expect(await (await send({}, 'evil.example')).json()).toMatchObject({ kind: 'misdirected' });
  expect((await send({ headers: { origin: 'https://evil.example' } })).status).toBe(403);
});

it('names the networks that a page requests', async () => {
  const reply = (ids: string) => replyWithNetworks(new Request(`http://localhost/api/view/networks${ids}`));
  const networks = await (await reply('?ids=8453,1&ids=777000777')).json();
  expect(networks).toMatchObject([
    { name: 'Base' },
    { name: 'Ethereum' },
    { networkId: '777000777', known: false },
  ]);
  expect(await (await reply('?ids=offered')).json()).toEqual([]);
  for (const ids of ['', '?ids=', '?ids=base', `?ids=${'1,'.repeat(1000)}1`]) {
    expect((await reply(ids)).status).toBe(400);
  }
});

it('accepts only POST for routes with side effects, and not from another site', async () => {
  let acted = 0;
  const act = ownAction(() => {
    acted += 1;
    return jsonReply({ status: 'ok' });
  });
  const send = (method: string, headers: Record<string, string> = {}) =>
    act(
      new Request('http://localhost:3000/api/x', { method, headers: { host: 'localhost:3000', ...headers } }),
    );
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])
    expect((await send(method)).status).toBe(405);
  expect((await send('POST', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect(acted).toBe(0);
  expect((await send('POST')).status).toBe(200);
  expect(acted).toBe(1);
});
