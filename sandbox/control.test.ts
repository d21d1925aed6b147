import { request } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ChainWorld, networkNumber } from './chain/chain-world';
import { createRpcService } from './chain/rpc-service';
import { type Core, startCore } from './core-harness';

let core: Core;
beforeAll(async () => {
  core = await startCore();
});
afterAll(() => core.close());

test('GET /control lists all orders', async () => {
  const all = (await (await core.control('GET', '')).json()) as Record<string, unknown>;
  expect(all).toMatchObject({
    clock: { now: '2023-11-14T22:13:20.000Z', speed: 1, stopped: false },
    dialect: { logs: 'text' },
    generation: 'after',
    faults: [],
    services: [{ name: 'updates', base: '/updates', openStreams: 0 }],
  });
});

test('the clock is set, sped up and stopped', async () => {
  const order = { set: '2026-01-02T03:04:05Z', speed: 60, stopped: true };
  const response = await core.control('POST', '/clock', order);
  expect(await response.json()).toEqual({ now: '2026-01-02T03:04:05.000Z', speed: 60, stopped: true });
  expect(core.clock.now()).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
});

test('the answers of the services are dated by the clock, to the second', async () => {
  const dated = async () => (await core.get('/updates/latest')).headers.get('date');
  await core.control('POST', '/clock', { set: '2026-01-02T03:04:05.900Z', stopped: true });
  expect(await dated()).toBe('Fri, 02 Jan 2026 03:04:05 GMT');
  await core.control('POST', '/clock', { set: '2026-01-02T02:54:05Z' });
  expect(await dated()).toBe('Fri, 02 Jan 2026 02:54:05 GMT');
});

test('live requests come at the ordered rate, until a reset', async () => {
  const live = async () => ((await (await core.control('GET', '')).json()) as { live: unknown }).live;
  expect(await live()).toEqual({ requestsPerMin: null });
  await core.control('POST', '/live', { requestsPerMin: 30 });
  expect(await live()).toEqual({ requestsPerMin: 30 });
  core.world.moveTo(core.clock.now());
  const count = () => core.world.list('main').length + core.world.list('test').length;
  const before = count();
  core.world.moveTo(core.clock.now() + 600_000);
  // One more or less, because the time of each request within its 2 s is random.
  expect(Math.abs(count() - before - 300)).toBeLessThanOrEqual(1);
  await core.control('POST', '/live', { requestsPerMin: null });
  expect(await live()).toEqual({ requestsPerMin: null });
  await core.control('POST', '/live', { requestsPerMin: 1000 });
  await core.control('POST', '/reset', {});
  expect(await live()).toEqual({ requestsPerMin: null });
  expect((await core.control('POST', '/live', { requestsPerMin: 0 })).status).toBe(400);
});

test('dialect, generation and odd rows are switched', async () => {
  await core.control('POST', '/dialect', { logs: 'number' });
  await core.control('POST', '/generation', { generation: 'before' });
  await core.control('POST', '/rows', { keeper: 'test', rows: ['{"odd": 1}'] });
  const oddRows = new Map([['test', ['{"odd": 1}']]]);
  expect(core.modes).toMatchObject({ logsDialect: 'number', generation: 'before', oddRows });
  await core.control('DELETE', '/rows');
  expect(core.modes.oddRows.size).toBe(0);
});

test('the keeper’s wallet on a network has the ordered balance, until a reset', async () => {
  const rpc = createRpcService(core);
  const balance = async () => {
    const world = new ChainWorld(core.overlays.main, networkNumber('8453') ?? 0, core.clock.now());
    const { address } = world.wallet();
    const body = JSON.stringify({ id: 1, method: 'eth_getBalance', params: [address, 'latest'] });
    const rpcRequest = { method: 'POST', path: '/8453', query: new URLSearchParams(), headers: {}, body };
    const answer = await rpc.routes.rpc?.answer(rpcRequest as never);
    return BigInt(JSON.parse(String(answer)).result);
  };
  const initial = await balance();
  const order = { network_id: '8453', wei: '123456789012345678901' };
  expect(await (await core.control('POST', '/wallet', order)).json()).toEqual(order);
  expect(await balance()).toBe(123_456_789_012_345_678_901n);
  const listed = (await (await core.control('GET', '')).json()) as { wallets: unknown };
  expect(listed.wallets).toEqual({ '8453': order.wei });
  await core.control('POST', '/wallet', { ...order, wei: null });
  expect(await balance()).toBe(initial);
  await core.control('POST', '/wallet', order);
  await core.control('POST', '/reset', {});
  expect(await balance()).toBe(initial);
  for (const wrong of [{ ...order, network_id: '7' }, { ...order, wei: '-1' }, { wei: '1' }])
    expect((await core.control('POST', '/wallet', wrong)).status).toBe(400);
});

test('a fault is listed until it is deleted', async () => {
  const order = { service: 'updates', route: 'latest', fault: { kind: 'delay', ms: 5 }, count: 3 };
  const { id } = (await (await core.control('POST', '/faults', order)).json()) as { id: number };
  const { faults } = (await (await core.control('GET', '')).json()) as { faults: unknown };
  const { count: remaining, ...fault } = order;
  expect(faults).toEqual([{ id, ...fault, remaining }]);
  await core.control('DELETE', '/faults');
  expect(core.faults.active()).toEqual([]);
});

test('calls are counted per service and route, with headers, faults and refusals included', async () => {
  await core.control('DELETE', '/calls');
  await core.get('/updates/latest?ids[]=x&a=%20', { headers: { 'x-mark': 'here' } });
  await core.get('/updates/open');
  await core.get('/updates/nowhere');
  const find = async (query: string) =>
    (await (await core.control('GET', `/calls${query}`)).json()) as { total: number; calls: unknown[] };
  expect((await find('')).total).toBe(3);
  const call = { method: 'GET', path: '/latest', query: 'ids[]=x&a=%20' };
  const calls = [{ service: 'updates', route: 'latest', ...call }];
  expect(await find('?service=updates&route=latest')).toMatchObject({ total: 1, calls });
  expect((await find('?route=latest')).calls).toMatchObject([{ headers: { 'x-mark': 'here' } }]);
  expect((await find('?route=unknown')).total).toBe(1);
  await core.control('DELETE', '/calls');
  expect((await find('')).total).toBe(0);
});

test('an order that rewrites the past is answered after those who copied the past are done', async () => {
  let notified = 0;
  let finish: () => void = () => {};
  const listener = () => {
    notified += 1;
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  };
  core.rewrites.add(listener);
  const answered: number[] = [];
  const order = core.control('POST', '/reset').then(({ status }) => answered.push(status));
  await expect.poll(() => notified).toBe(1);
  expect((await core.control('GET', '')).status).toBe(200);
  expect(answered).toEqual([]);
  finish();
  await order;
  expect(answered).toEqual([200]);
  core.rewrites.clear();
});

test.each([
  ['POST', '/reset', undefined, 1],
  ['POST', '/clock', { set: '2026-01-02T03:04:05Z' }, 1],
  ['POST', '/clock', { speed: 1 }, 0],
  ['POST', '/clock', { set: 'yesterday' }, 0],
  ['POST', '/scenario', { name: 'healthy' }, 1],
  ['POST', '/rows', { keeper: 'main', rows: [] }, 1],
  ['DELETE', '/rows', undefined, 1],
  ['POST', '/dialect', { logs: 'text' }, 1],
  ['POST', '/generation', { generation: 'after' }, 0],
  ['DELETE', '/faults', undefined, 0],
  ['POST', '/logs', { keeper: 'main', order: { kind: 'empty' } }, 0],
  ['DELETE', '/logs', undefined, 0],
] as const)('%s %s %j tells those who copied the past %#', async (method, path, value, times) => {
  let notified = 0;
  core.rewrites.add(async () => {
    notified += 1;
  });
  await core.control(method, path, value);
  core.rewrites.clear();
  expect(notified).toBe(times);
});

test('listeners that fail or hang delay an order for a limited time', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  core.rewrites.add(() => Promise.reject(new Error('on purpose')));
  core.rewrites.add(() => new Promise(() => {}));
  expect((await core.control('POST', '/reset')).status).toBe(200);
  core.rewrites.clear();
  expect(printed).toHaveBeenCalledOnce();
  printed.mockRestore();
});

test.each([
  ['/clock', { set: 'yesterday' }, 'ISO 8601'],
  ['/clock', { speed: 0 }, '>0'],
  ['/clock', { sped: 1 }, '"sped"'],
  ['/dialect', { logs: 'words' }, '"text"|"number"'],
  ['/rows', { keeper: 'other', rows: [] }, '"main"|"test"'],
  ['/faults', { service: 'logs', fault: { kind: 'html' } }, '"updates"'],
  ['/faults', { service: 'updates', fault: { kind: 'magic' } }, 'trickle'],
  ['/faults', { service: 'updates', fault: { kind: 'hang', ms: 1 } }, '"ms"'],
  ['/faults', { service: 'updates', route: 'latest', fault: { kind: 'close-stream' } }, 'no streams'],
  ['/logs', { keeper: 'main', order: { kind: 'magic' } }, 'vanish'],
  ['/logs', { keeper: 'main', order: { kind: 'vanish', count: 100_000 } }, 'there are only'],
  ['/logs', { keeper: 'main', order: { kind: 'burst', count: 5, networkIds: ['84532'] } }, '"networkIds"'],
])('POST %s %j is refused with a text that says why', async (path, value, text) => {
  const response = await core.control('POST', path, value);
  expect(response.status).toBe(400);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = (await response.json()) as { title: string; status: number; detail: string };
  expect([problem.title, problem.status]).toEqual(['Bad Request', 400]);
  expect(problem.detail).toContain(text);
});

test('orders for the rows of log services end by keeper and kind', async () => {
  for (const keeper of ['main', 'test']) {
    for (const kind of ['empty', 'shuffle']) {
      expect((await core.control('POST', '/logs', { keeper, order: { kind } })).status).toBe(200);
    }
  }
  const end = async (query: string) => (await core.control('DELETE', `/logs${query}`)).json();
  expect(await end('?keeper=main&kind=empty')).toMatchObject({
    main: [{ kind: 'shuffle' }],
    test: [{ kind: 'empty' }, { kind: 'shuffle' }],
  });
  expect(await end('?kind=shuffle')).toMatchObject({ main: [], test: [{ kind: 'empty' }] });
  expect((await core.control('DELETE', '/logs?keeper=maine')).status).toBe(400);
  expect((await core.control('DELETE', '/logs?kind=full')).status).toBe(400);
  expect(await end('')).toEqual({ main: [], test: [] });
});

test.each([
  [{ origin: 'http://evil.example' }, 403],
  [{ 'sec-fetch-site': 'cross-site' }, 403],
  [{ 'sec-fetch-site': 'same-site' }, 403],
  [{ host: 'evil.example' }, 421],
])('a page elsewhere can not steer it: %j', async (headers, status) => {
  const answered = await new Promise<number | undefined>((resolve, reject) => {
    const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    request(`${core.origin}/control/reset`, options, (res) => resolve(res.resume().statusCode))
      .on('error', reject)
      .end();
  });
  expect(answered).toBe(status);
});

test('an unknown control route is 404 and lists the known ones', async () => {
  const response = await core.control('GET', '/nothing');
  expect(response.status).toBe(404);
  expect(await response.text()).toContain('POST /control/clock');
});
