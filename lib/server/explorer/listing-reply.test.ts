import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readListing } from '@/lib/contract/codec/listing';
import { replaceSettings } from '@/lib/server/current-settings';
import { readSettings } from '@/lib/server/env';
import { ownRoute } from '@/lib/server/own-route';
import { closeServices, type Services, startServices } from '@/lib/server/services';
import { replyWithListing, replyWithNewRows } from './listing-reply';

let running: Services;
beforeAll(async () => {
  const settings = readSettings({ SANDBOX_PORT: '0', SANDBOX_RECORDS: '2000', LOG_LEVEL: 'silent' });
  replaceSettings(settings);
  running = await startServices(settings);
});
afterAll(async () => {
  await closeServices();
  replaceSettings(undefined);
});

const listingRoute = ownRoute(replyWithListing);
const newRoute = ownRoute(replyWithNewRows);

function requestOf(path: string, init: RequestInit = {}): Request {
  return new Request(`http://localhost${path}`, { ...init, headers: { host: 'localhost' } });
}

async function listing(query: string) {
  const response = await listingRoute(requestOf(`/api/view/requests?${query}`));
  const text = await response.text();
  expect(response.status, text).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const read = readListing(text);
  if (!read.ok) throw new Error(read.failure.detail);
  return read.value;
}

async function problemOf(route: typeof listingRoute, query: string) {
  const response = await route(requestOf(`/api/view/requests?${query}`));
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  return (await response.json()) as { status: number; kind: string; detail: string };
}

async function callsSoFar(): Promise<number> {
  const answer = await fetch(`${running.sandbox?.addresses.control}/calls?service=logs:main`);
  return ((await answer.json()) as { total: number }).total;
}

describe('the route of a listing', () => {
  test('answers pages that follow each other by their cursor', async () => {
    const view = 'keeper=main&keeper=test&range=all&size=25';
    const first = await listing(view);
    const second = await listing(`${view}&page=2&asof=${first.asof}&cursor=${first.cursor}`);
    expect([first.rows.length, second.rows.length, second.offset]).toEqual([25, 25, '25']);
    const keys = [...first.rows, ...second.rows].map(({ key }) => key);
    expect(new Set(keys).size).toBe(50);
    expect(keys.every((key) => /^(main|test)\/\d+\/0x/.test(key))).toBe(true);
    const byNumber = await listing(`${view}&page=2&asof=${first.asof}`);
    expect(byNumber.rows).toEqual(second.rows);
  });

  test.each([
    ['cursor=x', 'cursor'],
    ['keeper=nobody', 'keeper must be one of main, test.'],
    ['q=what', 'nothing was asked'],
    ['asof=yesterday', 'asof'],
    ['range=fortnight', 'range'],
    ['colour=red', 'colour'],
  ])('refuses %s without a call', async (query, words) => {
    const calls = await callsSoFar();
    const problem = await problemOf(listingRoute, query);
    expect(problem).toMatchObject({ status: 400, kind: 'bad-request' });
    expect(problem.detail).toContain(words);
    expect(await callsSoFar()).toBe(calls);
  });

  test('passes on what the service says of a state that it does not know', async () => {
    const problem = await problemOf(listingRoute, 'state=Revealing');
    expect(problem).toMatchObject({ status: 400, kind: 'rejected', service: 'logs' });
  });

  test('answers a HEAD without a call', async () => {
    const calls = await callsSoFar();
    const response = await listingRoute(requestOf('/api/view/requests?network=8453', { method: 'HEAD' }));
    expect(response.status).toBe(200);
    expect(await callsSoFar()).toBe(calls);
  });
});

describe('the route of new rows', () => {
  test('counts what is newer', async () => {
    const { total } = await listing('range=all&keeper=main&keeper=test');
    const path = '/api/view/requests/new?range=all&keeper=main&keeper=test&since=1990-01-01T00:00:00Z';
    const body = (await (await newRoute(requestOf(path))).json()) as { total: string };
    expect(Number(body.total)).toBeGreaterThanOrEqual(Number(total));
    const future = new Date(Date.now() + 86_400_000).toISOString();
    const none = await newRoute(requestOf(`/api/view/requests/new?since=${future}`));
    expect(await none.json()).toEqual({ total: '0' });
  });

  test('wants a time', async () => {
    for (const query of ['', 'since=now']) {
      expect((await problemOf(newRoute, query)).detail).toContain('since must be an ISO 8601 time');
    }
  });
});
