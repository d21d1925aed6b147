import { expect, it } from 'vitest';
import type { DiagnosisAsked } from '@/lib/contract/codec/triage-detail';
import { diagnose } from '@/lib/domain/diagnosis/all-rules';
import { USUAL_SETTINGS } from '@/lib/domain/diagnosis/diagnosis-settings';
import { missing, type Piece, type RowsFound } from '@/lib/domain/diagnosis/evidence';
import { createLogSource } from '@/lib/server/explorer/log-source';
import { UnderWay } from '@/lib/server/under-way';
import { ManualTimers } from '@/lib/upstream/manual-timers';
import { Asking } from './asking';
import { recordsOf } from './log-rows';
import { NetworkLook } from './network-look';
import { RequestLook } from './request-look';
import { FAILING, FakeLog, finished, hex, PROVIDER, requests, rowOf, START_MS, settle } from './triage-fakes';

const MINUTE = 60_000;
const STUCK = { networkId: '8453', sequence: 17, createdMs: START_MS - 10 * MINUTE, sender: 5, tx: 99 };
const ASKED: DiagnosisAsked = { networkId: '8453', sequence: '17', provider: PROVIDER, tx: hex(99, 32) };

/** One stuck request among many that finished, a twin of it that did, and another one of its transaction. */
function someLog(): FakeLog {
  return new FakeLog('main', [
    STUCK,
    { ...STUCK, tx: 100, createdMs: STUCK.createdMs - 1000, finishedMs: STUCK.createdMs + 5000 },
    { ...STUCK, sequence: 18, finishedMs: STUCK.createdMs + 4000 },
    ...finished('8453', 1200, START_MS - MINUTE, 2000),
  ]);
}

const ALL_PENDING: Piece<RowsFound> = {
  kind: 'known',
  value: {
    rows: recordsOf([{ ...rowOf(STUCK), key: `main/${rowOf(STUCK).key}`, keeper: 'main' }]),
    missing: 0,
    unreadable: 0,
  },
  query: 'state=Pending',
  atMs: START_MS,
};

function look(
  log: FakeLog,
  asked: DiagnosisAsked = ASKED,
  pending: Piece<RowsFound> = ALL_PENDING,
  known?: NetworkLook,
) {
  const timers = new ManualTimers();
  const source = createLogSource(log.keeper, log.client);
  const network = known ?? new NetworkLook(source, asked.networkId, 'one-request');
  const needs: string[] = [];
  const request = new RequestLook(asked, {
    source,
    network,
    pending: () => pending,
    askForPending: (need) => {
      needs.push(need);
    },
    now: () => START_MS + timers.elapsed(),
    timers,
    underWay: new UnderWay({ mostOfOne: 1, most: 1 }),
  });
  const verdict = (rule: string) => {
    const { found } = request;
    if (found.kind !== 'one') throw new Error(found.kind);
    const diagnosis = diagnose(found.row, request.evidenceOf(found.row), USUAL_SETTINGS, START_MS);
    return diagnosis.verdicts.find((one) => one.rule === rule);
  };
  return { request, network, timers, verdict, needs: () => needs, asksForPending: () => needs.length };
}

it('gathers what the rules ask for with few calls, and shares them', async () => {
  const log = someLog();
  const { request, timers, verdict, asksForPending } = look(log);
  await settle(Promise.all([request.ask(), request.ask()]), timers);
  const { found } = request;
  expect(found.kind).toBe('one');
  if (found.kind !== 'one') return;
  expect(request.missingOf(found.row)).toEqual([]);
  expect(verdict('R5')).toMatchObject({ holds: 'yes', decisive: 'yes' });
  expect(verdict('R8')?.holds).toBe('yes');
  expect(verdict('R15')).toMatchObject({ holds: 'yes', headline: 'One of a batch: 1 of 2 done' });
  expect(request.evidenceOf(found.row).finished).toMatchObject({ kind: 'known' });
  expect(asksForPending()).toBe(1);
  // The network and its last day, number, window, sender and transaction.
  expect(log.calls.length).toBeLessThanOrEqual(6);
  const calls = log.calls.length;
  timers.advance(4900);
  await settle(request.ask(), timers);
  expect(log.calls).toHaveLength(calls);
  timers.advance(200);
  await settle(request.ask(), timers);
  expect(log.calls).toHaveLength(calls + 4);
  expect(log.calls.at(-1)?.priority).toBe('background');
});

it('makes no call while nobody asks', async () => {
  const log = someLog();
  const { request, timers } = look(log);
  await settle(request.ask(), timers);
  const calls = log.calls.length;
  expect(timers.pending).toBe(0);
  timers.advance(600_000);
  expect(log.calls).toHaveLength(calls);
});

it('says what is missing while it comes, and fills in', async () => {
  const log = someLog();
  const waiting: (() => void)[] = [];
  log.beforeAnswer = () => new Promise((resolve) => waiting.push(resolve));
  const { request } = look(log);
  const over = request.ask();
  await new Promise((resolve) => setImmediate(resolve));
  expect(request.hasEnded).toBe(false);
  // Known among the pending requests before its own look has brought anything.
  const { found } = request;
  expect(found.kind).toBe('one');
  if (found.kind !== 'one') return;
  expect(request.missingOf(found.row).map(({ what }) => what)).toEqual([
    'Requests with its number',
    'Requests around it',
    'Requests of its sender',
    'Requests of its transaction',
    'Newest requests',
  ]);
  expect(request.progress?.done).toBe(0);
  log.beforeAnswer = () => {};
  for (const letGo of waiting) letGo();
  await over;
  expect(request.missingOf(found.row)).toEqual([]);
});

it('of a service that fails for a part, the rest is told, and the part recovers', async () => {
  const log = someLog();
  log.fault = (query) => (query.has('max_timestamp') ? FAILING : undefined);
  const { request, timers, verdict } = look(log);
  await settle(request.ask(), timers);
  expect(request.missingOf(recordsOf([{ ...rowOf(STUCK), keeper: 'main' }])[0])).toEqual([
    { what: 'Requests around it', why: 'The service failed' },
  ]);
  expect(verdict('R12')).toMatchObject({
    holds: 'unknown',
    missing: 'The rows of the network around it: The service failed',
  });
  expect(verdict('R5')?.holds).toBe('yes');
  log.fault = () => undefined;
  timers.advance(6000);
  await settle(request.ask(), timers);
  expect(verdict('R12')?.holds).not.toBe('unknown');
  log.fault = () => FAILING;
  timers.advance(6000);
  await settle(request.ask(), timers);
  expect(verdict('R12')?.holds).not.toBe('unknown');
  expect(request.missingOf(undefined)[0]).toEqual({
    what: 'Requests with its number',
    why: expect.stringMatching(/^The service failed; what is known is from 2026-11-20T12:00:06/),
  });
});

it('finds none, several, or can’t tell', async () => {
  const nothing = missing('not asked');
  const cases = [
    [{ networkId: '8453', sequence: '16' }, 'none', undefined],
    [{ networkId: '8453', sequence: '17' }, 'several', undefined],
    [
      { networkId: '8453', sequence: '17', tx: hex(100, 32).toUpperCase().replace('0X', '0x') },
      'one',
      undefined,
    ],
    [ASKED, 'not-known', FAILING],
  ] as const;
  for (const [asked, kind, failure] of cases) {
    const log = someLog();
    log.fault = () => failure;
    const { request, timers } = look(log, asked, nothing);
    await settle(request.ask(), timers);
    expect([asked, request.found.kind]).toEqual([asked, kind]);
  }
});

it('of a finished request, pending ones are not asked for', async () => {
  const log = someLog();
  const { request, timers, asksForPending } = look(log, { networkId: '8453', sequence: '18' });
  await settle(request.ask(), timers);
  expect(request.found.kind).toBe('one');
  expect(asksForPending()).toBe(0);
});

it('when hardly any of the newest rows is finished, the last completed ones say how long requests take', async () => {
  const log = new FakeLog('main', [
    ...requests('8453', 1500, START_MS - 8 * MINUTE, 100, (index) => ({
      sequence: index,
      sender: index % 9,
    })),
    ...finished('8453', 500, START_MS - 60 * MINUTE, 1000),
  ]);
  const { request, timers } = look(log, { networkId: '8453', sequence: '1499' });
  await settle(request.ask(), timers);
  const { found } = request;
  if (found.kind !== 'one') throw new Error(found.kind);
  const evidence = request.evidenceOf(found.row);
  expect(diagnose(found.row, evidence, USUAL_SETTINGS, START_MS).survival).toMatchObject({ finished: 500 });
  expect(evidence.window).toMatchObject({ kind: 'known', value: { missing: 0 } });
});

it('evidence of another log is never mixed with that of this one', async () => {
  const quiet = new FakeLog('main', finished('8453', 100, START_MS - 20 * MINUTE, 60_000));
  const { network, timers: before } = look(quiet);
  await settle(
    network.look(new Asking({ priority: 'user', timers: before, isWanted: () => true }, ''), START_MS),
    before,
  );
  const log = someLog();
  const known = look(log, ASKED, { ...ALL_PENDING, value: { rows: [], missing: 0, unreadable: 0 } }, network);
  quiet.rows = log.rows;
  await settle(known.request.ask(), known.timers);
  const { found } = known.request;
  if (found.kind !== 'one') throw new Error(found.kind);
  const { newest, pending } = known.request.evidenceOf(found.row);
  expect(newest).toMatchObject({ kind: 'known', value: { createdAt: { ms: START_MS - MINUTE } } });
  // What is known of all pending requests does not have this one.
  expect(pending).toEqual({ kind: 'missing', why: 'being asked for' });
  expect(known.needs()).toEqual(['kept', 'latest']);
});

it('all pending requests as they were a minute ago say nothing', async () => {
  const { request, timers } = look(someLog());
  await settle(request.ask(), timers);
  const { found } = request;
  if (found.kind !== 'one') throw new Error(found.kind);
  expect(request.evidenceOf(found.row).pending.kind).toBe('known');
  timers.advance(60_000);
  expect(request.evidenceOf(found.row).pending).toEqual({ kind: 'missing', why: 'being asked for' });
});
