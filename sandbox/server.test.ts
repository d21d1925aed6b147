import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Core, startCore } from './core-harness';

let core: Core;
beforeAll(async () => {
  core = await startCore();
});
afterAll(() => core.close());

test.each([
  ['no key', {}],
  ['another key', { authorization: 'Bearer sandbox-keys' }],
  ['another scheme', { authorization: 'Basic sandbox-key' }],
])('%s: 401 in plain text', async (_name, headers) => {
  const response = await core.get('/updates/latest', { headers });
  expect(response.status).toBe(401);
  expect(response.headers.get('content-type')).toContain('text/plain');
  expect(await response.text()).not.toContain('sandbox-key');
});

test('a key in the query does not count', async () => {
  const response = await core.get('/updates/latest?ACCESS_TOKEN=sandbox-key&key=sandbox-key', {
    headers: {},
  });
  expect(response.status).toBe(401);
});

test('a route that needs no key is answered without one', async () => {
  expect((await core.get('/updates/open', { headers: {} })).status).toBe(200);
});

test('an unknown path gets 404, and a known one with another method 405', async () => {
  expect((await core.get('/updates/nothing')).status).toBe(404);
  expect((await core.get('/updatesx/latest')).status).toBe(404);
  expect((await core.get('/')).status).toBe(404);
  const response = await core.get('/updates/latest', { method: 'PUT' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
});

test('a body that is too large gets 413', async () => {
  const response = await core.get('/updates/latest', { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) });
  expect(response.status).toBe(413);
});

test('an exception in a service becomes a 500 without its text, and the server goes on', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const response = await core.get('/updates/broken');
  expect([response.status, await response.text()]).toEqual([500, 'Internal server error']);
  expect(printed).toHaveBeenCalledOnce();
  printed.mockRestore();
  expect((await core.get('/updates/latest')).status).toBe(200);
});
