import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { feedSamplesPath, readFeedSamplesLine } from '@/lib/contract/codec/feed-samples';
import { replaceSettings } from '@/lib/server/current-settings';
import { readSettings } from '@/lib/server/env';
import { ownRoute } from '@/lib/server/own-route';
import { closeServices, startServices } from '@/lib/server/services';
import { replyWithFeedSamples } from './samples-reply';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const NOBODY = 'ab'.repeat(32);

beforeAll(async () => {
  const settings = readSettings({ SANDBOX_PORT: '0', SANDBOX_RECORDS: '200', LOG_LEVEL: 'silent' });
  replaceSettings(settings);
  await startServices(settings);
});
afterAll(async () => {
  await closeServices();
  replaceSettings(undefined);
});

const route = ownRoute(replyWithFeedSamples);

function ask(path: string): Promise<Response> {
  return route(new Request(`http://localhost${path}`, { headers: { host: 'localhost' } }));
}

async function linesOf(ids: string[], times: number[]) {
  const response = await ask(feedSamplesPath(ids, times));
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => readFeedSamplesLine(line));
}

describe('the route of samples', () => {
  test('answers a line for each moment, and a last one', async () => {
    const lines = await linesOf([BTC], [1_700_000_000, 1_700_003_600]);
    expect(lines.map((line) => line?.kind)).toEqual(['sample', 'sample', 'complete']);
    expect(lines[0]).toMatchObject({ t: 1_700_000_000, feeds: [{ id: BTC, t: 1_700_000_000, f: 1 }] });
  });

  test('leaves out a feed that nobody knows, and moments from before the service began', async () => {
    expect(await linesOf([BTC, NOBODY], [1_700_000_000])).toMatchObject([{ feeds: [{ id: BTC }] }, {}]);
    expect((await linesOf([BTC], [1_000_000_000]))[0]).toMatchObject({ kind: 'sample', feeds: [] });
  });

  test.each([
    ['', 'ids'],
    [`ids=${BTC}`, 'times'],
    [`ids=BTC&times=1`, 'ids'],
    [`ids=${BTC}&times=1e9`, 'times'],
    [`ids=${BTC}&times=-5`, 'times'],
    [`ids=${BTC}&times=1700000000000`, 'times'],
    [`ids=${BTC}&times=${Array.from({ length: 121 }, (_, at) => at).join(',')}`, 'times'],
    [`ids=${[1, 2, 3, 4, 5].map((digit) => String(digit).repeat(64)).join(',')}&times=1`, 'ids'],
  ])('refuses %s', async (query, word) => {
    const response = await ask(`/api/view/feeds/samples?${query}`);
    const problem = await response.json();
    expect([response.status, problem.kind]).toEqual([400, 'bad-request']);
    expect(problem.detail).toContain(word);
  });
});
