import { afterEach, describe, expect, it, vi } from 'vitest';
import { readPage, rowText } from '@/lib/core/log-row-fixture';
import { failed, ok } from '@/lib/core/outcome';
import { fittingRows, type RequestLocator } from '@/lib/requests/request-address';
import { type RequestAnswer, readRequestAnswer } from '@/lib/requests/requests-response';
import { openTestStore } from '@/lib/store/engine-fixture';
import type { IndexStore } from '@/lib/store/store';
import { findRequests, type QueryLogs, requestAnswer } from './request';

const NOW_MS = Date.parse('2026-11-20T09:00:00Z');
const ASKED: RequestLocator = { networkId: '42161', sequence: '17', keepers: [] };
const OTHER = `0x${'52'.repeat(20)}`;
const open: IndexStore[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()));
});

async function storeOf(rows: string[]): Promise<IndexStore> {
  const store = await openTestStore(() => NOW_MS, 'main', 'test');
  open.push(store);
  for (const keeper of ['main', 'test']) store.report(keeper, { coversAll: true, syncedAtMs: NOW_MS });
  await store.ingest(1, readPage(rows).rows, 'history');
  return store;
}

function completed(sequence: number, tookMs = 2000, change: Record<string, string> = {}): string {
  const created = Date.parse('2026-11-20T08:00:00Z') + sequence * 1000;
  return rowText({
    sequence: String(sequence),
    created_at: JSON.stringify(new Date(created).toISOString()),
    last_updated_at: JSON.stringify(new Date(created + tookMs).toISOString()),
    request_tx_hash: JSON.stringify(`0x${String(sequence).padStart(64, '0')}`),
    state: `{"state":"completed","callback_failed":false,"reveal_tx_hash":"0x${'e'.repeat(64)}"}`,
    ...change,
  });
}

async function lookUp(store: IndexStore, locator = ASKED, queryLogs?: QueryLogs): Promise<RequestAnswer> {
  const { text } = await requestAnswer(store, locator, queryLogs);
  const response = readRequestAnswer(text);
  if (!response.ok) throw new Error(response.failure.detail);
  return response.value;
}

describe('one request of the index', () => {
  it('reports that the clock of its keeper is hours off, and nothing about other keepers', async () => {
    const store = await storeOf([completed(17)]);
    const skews = [
      { keeper: 'main', offByMs: -18_000_000 },
      { keeper: 'test', offByMs: 3_600_000 },
    ];
    const { text } = await requestAnswer(store, ASKED, undefined, (keepers) =>
      skews.filter(({ keeper }) => keepers.includes(keeper)),
    );
    const response = readRequestAnswer(text);
    expect(response.ok && response.value.clocks).toEqual([{ keeper: 'main', offByMs: -18_000_000 }]);
  });

  it('comes as its service wrote it, with related requests', async () => {
    const wire = completed(17, 2000, { invented: '[1,2.50,12345678901234567890]' });
    const stranger = completed(18, 2000, { provider: JSON.stringify(OTHER) });
    const store = await storeOf([wire, ...[12, 13, 14, 15, 20].map((at) => completed(at)), stranger]);
    const response = await lookUp(store, { ...ASKED, keepers: ['main'] });
    expect(response).toMatchObject({ atMs: NOW_MS, uncovered: [], queried: [] });
    expect(response.rows).toMatchObject([{ keeper: 'main', sequence: '17', rawJson: wire }]);
    const { before = [], after = [], transaction, sender } = response.related ?? {};
    expect(before.map(({ sequence }) => sequence)).toEqual(['15', '14', '13']);
    expect(after.map(({ sequence }) => sequence)).toEqual(['20']);
    expect(transaction).toMatchObject({ total: '1', rows: [{ sequence: '17' }] });
    expect(sender?.total).toBe('7');
    expect(sender?.rows.map(({ sequence }) => sequence)).toEqual(['20', '18', '17', '15', '14', '13', '12']);
  });

  it('queries a service even if its history was read to its end meanwhile', async () => {
    const store = await openTestStore(() => NOW_MS, 'main');
    open.push(store);
    const all = store.engine.all.bind(store.engine);
    vi.spyOn(store.engine, 'all').mockImplementation(async (...args) => {
      const rows = await all(...args);
      store.report('main', { coversAll: true, syncedAtMs: NOW_MS });
      return rows as never;
    });
    const queryLogs: QueryLogs = async () => ok(readPage([completed(17)]));
    expect((await lookUp(store, ASKED, queryLogs)).rows).toMatchObject([{ sequence: '17' }]);
    store.report('main', { coversAll: false });
    const search = await findRequests(store, '17', queryLogs);
    expect(search).toMatchObject({ ok: true, value: { total: '1', queriedService: true } });
  });

  it('has a typical latency once twenty requests were completed', async () => {
    const rows = Array.from({ length: 20 }, (_, index) => completed(17 + index, (index + 1) * 100));
    const store = await storeOf(rows.slice(0, 19));
    expect((await lookUp(store)).related?.latency).toBeUndefined();
    await store.ingest(1, readPage(rows).rows, 'new');
    expect((await lookUp(store)).related?.latency).toEqual({ p50Ms: 1050, p95Ms: 1905, count: 20, days: 7 });
  });

  it('is counted with the failures of the last seven days that have its reason', async () => {
    const failing = (sequence: number, reason: string) =>
      completed(sequence, 2000, { state: `{"state":"failed","reason":${JSON.stringify(reason)}}` });
    const rows = [
      failing(17, 'out of gas at 100'),
      failing(18, 'out of gas at 200'),
      failing(19, 'no funds'),
    ];
    const store = await storeOf([...rows, completed(20)]);
    const ofSequence = async (sequence: string) =>
      (await lookUp(store, { ...ASKED, sequence })).related?.sameFailure;
    expect(await ofSequence('17')).toEqual({ count: 2, isOneOfThem: true });
    expect(await ofSequence('19')).toEqual({ count: 1, isOneOfThem: true });
    expect(await ofSequence('20')).toBeUndefined();
  });

  it('is one of several that share the sequence, distinguished by keeper, provider and transaction', async () => {
    const twin = completed(17, 2000, { provider: JSON.stringify(OTHER) });
    const store = await storeOf([completed(17), twin]);
    await store.ingest(2, readPage([completed(17)]).rows, 'history');
    const all = await lookUp(store);
    expect(all.rows).toHaveLength(3);
    expect(all.related).toBeUndefined();
    expect(fittingRows(all.rows, ASKED)).toHaveLength(all.rows.length);
    const locator = { ...ASKED, provider: OTHER.toUpperCase().replace('X', 'x') };
    const response = await lookUp(store, locator);
    expect(response.related).toBeDefined();
    expect(fittingRows(response.rows, locator)).toMatchObject([{ provider: OTHER }]);
    expect(fittingRows(response.rows, { ...ASKED, provider: '0x01' })).toEqual([]);
  });

  it('queries the service only if nothing is found and its history is not read to its end', async () => {
    const store = await storeOf([completed(16)]);
    const queries: string[] = [];
    const queryLogs: QueryLogs = async (keeper, query) => {
      queries.push(`${keeper}?${query}`);
      return keeper === 'main' ? ok(readPage([completed(17), completed(18)])) : failed(FAILING);
    };
    expect(await lookUp(store, ASKED, queryLogs)).toMatchObject({ rows: [], uncovered: [] });
    expect(queries).toEqual([]);
    for (const keeper of ['main', 'test']) store.report(keeper, { coversAll: false });
    expect((await requestAnswer(store, ASKED)).complete).toBe(false);
    const response = await lookUp(store, ASKED, queryLogs);
    expect(queries).toEqual(['main', 'test'].map((name) => `${name}?network_id=42161&query=17&limit=100`));
    expect(response).toMatchObject({
      uncovered: ['main', 'test'],
      queried: [{ keeper: 'main' }, { keeper: 'test', failure: FAILING }],
      rows: [{ keeper: 'main', sequence: '17' }],
      related: { before: [{ sequence: '16' }] },
    });
  });

  it('queries the service if the newest requests were not read for a while', async () => {
    const store = await storeOf([completed(16)]);
    const queryLogs: QueryLogs = async (keeper) =>
      keeper === 'main' ? ok(readPage([completed(17)])) : failed(FAILING);
    store.report('main', { syncedAtMs: NOW_MS - 31_000 });
    expect((await lookUp(store, ASKED, queryLogs)).rows).toMatchObject([{ sequence: '17' }]);
    expect(await findRequests(store, '17', queryLogs)).toMatchObject({ value: { total: '1' } });
    store.report('test', { syncedAtMs: null });
    expect(await findRequests(store, '18', queryLogs)).toMatchObject({
      value: { total: '0', complete: false, queriedService: true },
    });
  });

  it('is not complete where the service has more matches than it returned', async () => {
    const store = await storeOf([]);
    store.report('main', { coversAll: false });
    const rows = Array.from({ length: 20 }, (_, index) => completed(100 + index));
    const sender = `0x${'5e'.repeat(20)}`;
    const sent = rows.map((row) => JSON.stringify({ ...JSON.parse(row), sender }));
    const matches = async (list: string[], total: number) => {
      const answer = await findRequests(store, sender, async () =>
        ok({ ...readPage(list), total: String(total) }),
      );
      return answer.ok && [answer.value.rows.length, answer.value.total, answer.value.complete];
    };
    expect(await matches(sent, 500)).toEqual([20, '20', false]);
    expect(await matches(sent, 20)).toEqual([20, '20', true]);
    // A service looks for the text in every member, so other rows may fill its page.
    const others: QueryLogs = async () => ok({ ...readPage(rows), total: '500' });
    expect(await findRequests(store, '17', others)).toMatchObject({ value: { total: '0', complete: false } });
    expect(await lookUp(store, ASKED, others)).toMatchObject({
      rows: [],
      queried: [{ keeper: 'main', isPartial: true }],
    });
  });

  it('names the time from which all requests are known, and counts equal failures only in that time', async () => {
    const state = '{"state":"failed","reason":"out of gas"}';
    const store = await storeOf([completed(16), completed(17, 2000, { state })]);
    const related = async () => (await lookUp(store)).related;
    expect((await related())?.sameFailure).toMatchObject({ count: 1 });
    expect((await related())?.coveredFromMs).toBeLessThan(0);
    store.report('main', { coversAll: false, coveredFromMs: NOW_MS - 60_000 });
    expect(await related()).toMatchObject({ coveredFromMs: NOW_MS - 60_000 });
    expect((await related())?.sameFailure).toBeUndefined();
  });

  it('marks a row as gone if the service no longer has it', async () => {
    const store = await storeOf([completed(17)]);
    await store.engine.write((session) => session.run('update requests set gone_us = 1'));
    expect((await lookUp(store)).rows).toMatchObject([{ gone: true }]);
  });

  it('is malformed if an answer is not JSON', () => {
    expect(readRequestAnswer('{"rows":')).toMatchObject({ ok: false, failure: { kind: 'malformed' } });
  });
});

const FAILING = { kind: 'failing', service: 'logs', detail: 'overloaded' } as const;
