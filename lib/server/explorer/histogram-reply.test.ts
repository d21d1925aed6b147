import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readFacetLine } from '@/lib/contract/codec/facets';
import { type HistogramLine, readHistogramLine, sumOf } from '@/lib/contract/codec/histogram';
import { replaceSettings } from '@/lib/server/current-settings';
import { readSettings } from '@/lib/server/env';
import { ownRoute } from '@/lib/server/own-route';
import { closeServices, type Services, startServices } from '@/lib/server/services';
import { replyWithFacets } from './facets-reply';
import { replyWithHistogram } from './histogram-reply';

let running: Services;

beforeAll(async () => {
  const settings = readSettings({
    SANDBOX_PORT: '0',
    SANDBOX_RECORDS: '12000',
    LOG_LEVEL: 'silent',
    LOGS_CALLS_PER_S: '1000',
  });
  replaceSettings(settings);
  running = await startServices(settings);
  await control('POST', '/clock', { stopped: true });
});
afterAll(async () => {
  await closeServices();
  replaceSettings(undefined);
});
beforeEach(async () => {
  await control('DELETE', '/faults');
  await control('DELETE', '/calls');
});

async function control(method: string, path: string, body?: object): Promise<{ total: number }> {
  const address = running.sandbox?.addresses.control ?? '';
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${address}${path}`, { method, headers, ...init });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

const callsOf = async (keeper: string) => (await control('GET', `/calls?service=logs:${keeper}`)).total;

const requestOf = (path: string, init: RequestInit = {}) =>
  new Request(`http://localhost${path}`, { headers: { host: 'localhost' }, ...init });

async function linesOf(response: Response): Promise<string[]> {
  expect(response.status).toBe(200);
  return (await response.text()).trimEnd().split('\n');
}

async function histogramOf(query: string): Promise<HistogramLine[]> {
  const lines = await linesOf(replyWithHistogram(requestOf(`/api/view/requests/histogram?${query}`)));
  return lines.map((line) => readHistogramLine(line) ?? { kind: 'complete' });
}

async function facetsOf(query: string): Promise<Record<string, string>> {
  const lines = await linesOf(replyWithFacets(requestOf(`/api/view/requests/facets?${query}`)));
  const read = lines.map((line) => readFacetLine(line));
  expect(read.at(-1)).toEqual({ kind: 'complete' });
  return Object.fromEntries(
    read.flatMap((line) => {
      if (line?.kind === 'count') return [[line.value, line.total]];
      return line?.kind === 'refused' ? [[line.value, line.failure.kind]] : [];
    }),
  );
}

function sumOfLines(lines: readonly HistogramLine[]): number {
  return lines.reduce((sum, line) => sum + (line.kind === 'bucket' ? sumOf(line.counts) : 0), 0);
}

describe('the histogram of the sandbox', () => {
  it.each([
    ['range=all', 'counts'],
    ['range=all&state=pending&state=failed', 'rows'],
    ['range=all&keeper=main&keeper=test', 'counts'],
    ['range=24h&network=8453&network=42161', 'rows'],
  ])('of %s adds up to its total', async (query, exact) => {
    const lines = await histogramOf(query);
    const [first] = lines;
    if (first?.kind !== 'head') throw new Error(JSON.stringify(first));
    expect(first.head.exact).toBe(exact);
    expect(String(sumOfLines(lines))).toBe(first.head.total);
    expect(Number(first.head.total)).toBeGreaterThan(0);
    expect(first.head.buckets).toBeLessThanOrEqual(60);
    expect(lines.filter(({ kind }) => kind === 'bucket')).toHaveLength(first.head.buckets);
    expect(lines.at(-1)).toEqual({ kind: 'complete' });
  });

  it('is asked for once by two viewers, and again a moment later not at all', async () => {
    const query = 'range=all&asof=2026-11-20T00:00:00Z';
    const both = await Promise.all([histogramOf(query), histogramOf(query)]);
    expect(both[0]).toEqual(both[1]);
    const calls = await callsOf('main');
    expect(await histogramOf(query)).toEqual(both[0]);
    expect(await callsOf('main')).toBe(calls);
  });

  it('calls nobody for a HEAD', async () => {
    const handle = ownRoute(replyWithHistogram);
    const response = await handle(requestOf('/api/view/requests/histogram?range=all', { method: 'HEAD' }));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(await callsOf('main')).toBe(0);
  });

  it('asks no further when its reader leaves', async () => {
    const response = replyWithHistogram(requestOf('/api/view/requests/histogram?range=all&buckets=120'));
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    const lines = await histogramOf('range=1h');
    expect(lines.at(-1)).toEqual({ kind: 'complete' });
    expect(await callsOf('main')).toBeLessThan(120);
  });

  it.each(['buckets=9', 'buckets=121', 'buckets=many', 'network=x', 'from=yesterday', 'range=soon'])(
    'refuses %s without a call',
    async (query) => {
      const response = replyWithHistogram(requestOf(`/api/view/requests/histogram?${query}`));
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ kind: 'bad-request' });
      expect(await callsOf('main')).toBe(0);
    },
  );

  it('ends with the trouble of the service', async () => {
    await control('POST', '/faults', { service: 'logs:main', fault: { kind: 'status', status: 500 } });
    expect(await histogramOf('range=3h')).toMatchObject([
      { kind: 'problem', failure: { kind: 'failing', service: 'logs' } },
    ]);
  });
});

describe('the facets of the sandbox', () => {
  it('of states add up to all rows', async () => {
    const { main = '' } = await facetsOf('of=keeper&range=all');
    const states = await facetsOf('of=state&range=all');
    expect(Object.values(states).reduce((sum, total) => sum + Number(total), 0)).toBe(Number(main));
    expect(Object.keys(states).sort()).toEqual(['callback-failed', 'completed', 'failed', 'pending']);
  });

  it('of networks add up as well, and name those that the keeper does not serve', async () => {
    const { main = '' } = await facetsOf('of=keeper&range=all&state=failed&state=pending');
    const networks = await facetsOf('of=network&range=all&state=failed&state=pending');
    const counts = Object.values(networks).filter((total) => /^\d+$/.test(total));
    expect(counts.reduce((sum, total) => sum + Number(total), 0)).toBe(Number(main));
    expect(Object.values(networks)).toContain('rejected');
    const calls = await callsOf('main');
    await facetsOf('of=network&range=all&state=failed&state=pending');
    expect(await callsOf('main')).toBe(calls);
  });

  it.each(['of=sender', '', 'of=state&network=x'])('are refused for %j', async (query) => {
    const response = replyWithFacets(requestOf(`/api/view/requests/facets?${query}`));
    expect(response.status).toBe(400);
  });
});
