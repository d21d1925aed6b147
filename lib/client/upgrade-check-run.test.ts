import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FeedId, parseFeedId } from '@/lib/domain/feed';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { unixMillis, unixSeconds } from '@/lib/domain/units';
import { judgeUpgrade } from '@/lib/domain/upgrade-check-verdict';
import { type RunningSandbox, SANDBOX_KEY, startSandbox } from '@/sandbox/start';
import { fetchFirstEvent } from './first-event';
import {
  runUpgradeCheck,
  type UpgradeProgress,
  type UpgradeQuestion,
  type UpgradeRunEdges,
} from './upgrade-check-run';

const BTC = parseFeedId('e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43') as FeedId;
const ETH = parseFeedId('ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace') as FeedId;
const QUESTION: UpgradeQuestion = { ids: [BTC, ETH], at: undefined, deprecated: 'left out' };

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, seed: 1, records: 100 });
});
beforeEach(() => control('/reset', {}));
afterAll(() => sandbox.close());

async function control(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(sandbox.addresses.control + path, init);
  if (!answer.ok) throw new Error(await answer.text());
}

/** The gateway's part, in short: the key, and a failure for what is not 200. */
function edges(asked: string[] = [], fail: (path: string) => Outcome<string> | undefined = () => undefined) {
  const at = (path: string) =>
    path
      .replace('/api/updates', sandbox.addresses.updates)
      .replace('/api/upgraded', sandbox.addresses.upgraded);
  const withKey: typeof fetch = (path, init) =>
    fetch(at(String(path)), { ...init, headers: { authorization: `Bearer ${SANDBOX_KEY}` } });
  const edges: UpgradeRunEdges = {
    ask: async (path, signal) => {
      asked.push(path);
      const broken = fail(path);
      if (broken !== undefined) return broken;
      const response = await withKey(path, { signal });
      const text = await response.text();
      return response.ok ? ok(text) : failed({ kind: 'missing', detail: text });
    },
    firstEvent: async (stream, signal) => {
      asked.push(stream.path);
      return fail(stream.path) ?? fetchFirstEvent(stream, signal, withKey);
    },
    now: () => unixMillis(Date.now()),
    pause: () => Promise.resolve(),
  };
  return edges;
}

const watch = (onProgress: (progress: UpgradeProgress) => void = () => {}) => ({
  signal: new AbortController().signal,
  onProgress,
});
const now = () => unixMillis(Date.now());
const routeOf = (path: string) => path.split('?')[0]?.replace(/\d{6,}/, '<time>');

describe('the check', () => {
  test('asks both hosts each route once, all feeds in one call, and never the deprecated one unasked', async () => {
    const asked: string[] = [];
    const seen: UpgradeProgress[] = [];
    await runUpgradeCheck(
      QUESTION,
      edges(asked),
      watch((progress) => seen.push(progress)),
    );
    const routes = [
      '/v2/updates/price/latest',
      '/v2/updates/price/<time>',
      '/v2/price_feeds',
      '/v2/updates/price/stream',
    ];
    const both = routes.flatMap((route) => [`/api/updates${route}`, `/api/upgraded${route}`]);
    expect(asked.map(routeOf)).toEqual(both);
    for (const path of asked.filter((one) => one.includes('ids[]')))
      expect(path.match(/ids\[\]=/g)).toHaveLength(2);
    expect(seen.map(({ done, of }) => `${done}/${of}`)).toEqual(['0/4', '1/4', '2/4', '3/4']);
  });

  test('takes an answer with updates by the hundred thousand', async () => {
    const row = `{"id":"${BTC}","price":{"price":"1","conf":"1","expo":0,"publish_time":9},"ema_price":{"price":"1","conf":"1","expo":0,"publish_time":9}}`;
    const text = `{"binary":{"encoding":"hex","data":[]},"parsed":[${Array(130_000).fill(row).join(',')}]}`;
    const fail = (path: string) =>
      path.startsWith('/api/updates/v2/updates/price/latest')
        ? ok(text)
        : failed<string>({ kind: 'missing', detail: 'no' });
    const evidence = await runUpgradeCheck(QUESTION, edges([], fail), watch());
    expect(evidence.at).toBe(4);
  });

  test('finds two upgraded hosts well, with equal prices for the same second', async () => {
    const evidence = await runUpgradeCheck(QUESTION, edges(), watch());
    const verdict = judgeUpgrade(evidence, now());
    expect(verdict.reasons.filter(({ severity }) => severity !== 'none')).toEqual([]);
    expect(verdict).toMatchObject({
      severity: 'none',
      generations: { old: 'upgraded', upgraded: 'upgraded' },
    });
    const atTime = verdict.findings.find(({ pair }) => pair.route === 'at-time');
    expect(atTime?.agreements.map(({ standing }) => standing)).toEqual(['equal', 'equal']);
  });

  test('tells an old host that was not upgraded by its signatures', async () => {
    await control('/generation', { generation: 'before' });
    const evidence = await runUpgradeCheck(QUESTION, edges(), watch());
    const verdict = judgeUpgrade(evidence, now());
    expect(verdict.generations).toEqual({ old: 'before-upgrade', upgraded: 'upgraded' });
    expect(verdict.severity).toBe('critical');
  });

  test('asks the deprecated route for each feed where it is wanted, and reads its payload', async () => {
    const asked: string[] = [];
    const question = {
      ...QUESTION,
      at: unixSeconds(Math.floor(Date.now() / 1000) - 60),
      deprecated: 'asked' as const,
    };
    const evidence = await runUpgradeCheck(question, edges(asked), watch());
    const deprecated = evidence.pairs.filter(({ route }) => route === 'deprecated');
    expect(deprecated.map(({ feed }) => feed)).toEqual([BTC, ETH]);
    expect(asked.filter((path) => path.includes('verbose=true&binary=true'))).toHaveLength(4);
    for (const { old } of deprecated) {
      expect(old).toMatchObject({
        kind: 'answered',
        payloads: [{ generation: 'upgraded', standing: 'sound' }],
      });
    }
    expect(judgeUpgrade(evidence, now()).severity).toBe('none');
  });

  test('leaves a host in peace that refused the key, and checks the other one', async () => {
    const asked: string[] = [];
    const refusal = failed<string>({ kind: 'unauthorized', service: 'upgraded', detail: 'no' });
    const refusing = edges(asked, (path) => (path.startsWith('/api/upgraded') ? refusal : undefined));
    const evidence = await runUpgradeCheck(QUESTION, refusing, watch());
    expect(asked.filter((path) => path.startsWith('/api/upgraded'))).toHaveLength(1);
    expect(evidence.pairs.map(({ old, upgraded }) => [old.kind, upgraded.kind])).toEqual([
      ['answered', 'failed'],
      ['answered', 'skipped'],
      ['answered', 'skipped'],
      ['answered', 'skipped'],
    ]);
  });

  test('goes on where one route fails', async () => {
    const missing = failed<string>({ kind: 'missing', service: 'updates', detail: 'no such route' });
    const without = edges([], (path) => (path.includes('price_feeds') ? missing : undefined));
    const evidence = await runUpgradeCheck(QUESTION, without, watch());
    expect(evidence.pairs.map(({ old }) => old.kind)).toEqual(['answered', 'answered', 'failed', 'answered']);
    expect(judgeUpgrade(evidence, now()).severity).toBe('notice');
  });

  test('ends at once when it is cancelled', async () => {
    const leaving = new AbortController();
    const onProgress = ({ route }: UpgradeProgress) => route === 'at-time' && leaving.abort();
    await expect(
      runUpgradeCheck(QUESTION, edges(), { signal: leaving.signal, onProgress }),
    ).rejects.toThrow();
  });
});
