import { expect, test } from 'vitest';
import { createRpcEndpoint } from './rpc';
import { sendJson, serviceStarter } from './service-fixture';

const starting = serviceStarter();

type Query = { id: number; method: string };
const CHAIN_8453 = { result: '0x2105' };

/** A host whose answer to `eth_chainId` depends on the path and on whether the query is single. */
async function hostWith(chainOf: (path: string, isSingle: boolean) => object) {
  let nowMs = 0;
  const options = { service: 'rpc', label: 'rpc:x', apiKey: () => undefined, now: () => nowMs } as const;
  const { http } = await starting(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const queries: Query | Query[] = JSON.parse(body);
    const isSingle = !Array.isArray(queries);
    const answers = [queries].flat().map(({ id, method }) => {
      const answer = method === 'eth_chainId' ? chainOf(request.url ?? '', isSingle) : { result: '0x1' };
      return { jsonrpc: '2.0', id, ...answer };
    });
    sendJson(response, JSON.stringify(isSingle ? answers[0] : answers));
  }, options);
  const endpoint = (path: string, networkId = '8453') => createRpcEndpoint(http, networkId, path);
  const callAt = async (ms: number, { call }: ReturnType<typeof endpoint>) => {
    nowMs = ms;
    return (await call([{ method: 'eth_gasPrice', params: [] }], 'user')).ok;
  };
  return { http, endpoint, callAt };
}

const refused = { error: { code: -32_601, message: 'no such method' } };

test.each([
  ['null', { result: null }],
  ['decimal', { result: '8453' }],
  ['an error, in a batch and alone', refused],
])('a host fails while one of its URLs does not report its chain: %s', async (_, answer) => {
  const { http, endpoint, callAt } = await hostWith((path) => (path === '/a' ? answer : { result: '0x1' }));
  const [unnamed, other] = [endpoint('/a'), endpoint('/b', '1')];
  expect(await callAt(1000, unnamed)).toBe(false);
  expect(http.lastCall()).toMatchObject({ ok: false, kind: 'malformed', failingSinceMs: 1000 });
  expect(await callAt(2000, other)).toBe(true);
  expect(http.lastCall()).toMatchObject({ ok: false, kind: 'malformed', failingSinceMs: 1000 });
  expect(await callAt(3000, unnamed)).toBe(false);
  expect(http.lastCall()).toMatchObject({ ok: false, failingSinceMs: 1000 });
});

test('a node that refuses the chain in a batch alone works', async () => {
  const { http, endpoint, callAt } = await hostWith((_, isSingle) => (isSingle ? CHAIN_8453 : refused));
  expect(await callAt(1000, endpoint('/a'))).toBe(true);
  expect(http.lastCall()).toMatchObject({ ok: true });
  expect(http.status().calls.failures).toEqual([]);
});

test.each([
  ['of another chain', { result: '0x1' }, 'wrong-chain'],
  ['without its chain', refused, 'malformed'],
])('a URL %s fails until it is mended, whatever another URL of its network says', async (_, answer, kind) => {
  let isMended = false;
  const chainOf = (path: string) => (path === '/eth' && !isMended ? answer : CHAIN_8453);
  const { http, endpoint, callAt } = await hostWith(chainOf);
  const [sound, wrong] = [endpoint('/base'), endpoint('/eth')];
  await callAt(1000, wrong);
  for (const ms of [2000, 4000]) {
    await callAt(ms, sound);
    expect(http.lastCall()).toMatchObject({ ok: false, kind, failingSinceMs: 1000 });
    await callAt(ms + 1000, wrong);
    expect(http.lastCall()).toMatchObject({ ok: false, kind, failingSinceMs: 1000 });
  }
  isMended = true;
  await callAt(6000, wrong);
  expect(http.lastCall()).toMatchObject({ ok: true });
});

test('a probe of a wrong URL is due by its own last call, and calls of two URLs are not shared', async () => {
  const { http, endpoint, callAt } = await hostWith((path) =>
    path === '/eth' ? { result: '0x1' } : CHAIN_8453,
  );
  const [sound, wrong, twin] = [endpoint('/base'), endpoint('/eth'), endpoint('/eth', '1')];
  expect(await Promise.all([callAt(1000, wrong), callAt(1000, twin)])).toEqual([false, true]);
  await callAt(50_000, sound);
  expect(http.lastCall()).toMatchObject({ ok: false, atMs: 1000 });
});
