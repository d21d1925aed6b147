import { expect, it } from 'vitest';
import { networkFigures } from './network-figures';
import { FAILING, FakeLog, finished, requests, START_MS, settle, world } from './triage/triage-fakes';

const MINUTE = 60_000;
const BASE = '8453';

/** Five that wait since a quarter of an hour, among many that were answered; another network has a few rows of today. */
const stuck = () =>
  new FakeLog('main', [
    ...requests(BASE, 5, START_MS - 15 * MINUTE, 1000),
    ...finished(BASE, 400, START_MS - MINUTE, 20_000),
    ...finished('1', 3, START_MS - 10 * MINUTE, 60 * MINUTE),
  ]);

it('are those of the page for pending requests, per network', async () => {
  const { gatherer, view, timers } = world([stuck()]);
  await settle(gatherer.ask('unhurried'), timers);
  const figures = networkFigures(await view.now('latest'), { '1': { name: 'Our chain' } });
  expect(figures.keepers).toEqual([
    { keeper: 'main', isWhole: true, checkedAtMs: START_MS, pending: 5, unseen: 0 },
  ]);
  const of = (id: string) => figures.networks.find(({ networkId }) => networkId === id);
  expect(of(BASE)).toEqual({
    keeper: 'main',
    networkId: BASE,
    name: 'Base',
    pending: 5,
    oldestPendingMs: START_MS - 15 * MINUTE - 4000,
    stuck: 5,
    lastRequestMs: START_MS - MINUTE,
    isQuiet: false,
  });
  expect(of('1')).toMatchObject({ name: 'Our chain', pending: 0, stuck: 0 });
  // Too few rows a day to know what silence is.
  expect(of('1')?.oldestPendingMs ?? of('1')?.isQuiet).toBeUndefined();
});

it('take nothing from users: every call of a first look is background work too', async () => {
  const log = stuck();
  const { gatherer, timers } = world([log]);
  await settle(gatherer.ask('unhurried'), timers);
  expect(log.calls.length).toBeGreaterThan(2);
  expect(log.calls.every(({ priority }) => priority === 'background')).toBe(true);
});

it('say nothing of a log that cannot be read, but that', async () => {
  const log = stuck();
  log.fault = () => FAILING;
  const { gatherer, view, timers } = world([log]);
  await settle(gatherer.ask('unhurried'), timers);
  const figures = networkFigures(await view.now('latest'), {});
  expect(figures).toEqual({ networks: [], keepers: [{ keeper: 'main', isWhole: false }] });
});

it('call a log incomplete of which rows could not be read', async () => {
  const log = stuck();
  log.rows = log.rows.map((row, at) => (at === 0 ? { ...row, unreadable: true } : row));
  const { gatherer, view, timers } = world([log]);
  await settle(gatherer.ask('unhurried'), timers);
  const figures = networkFigures(await view.now('latest'), {});
  expect(figures.keepers).toEqual([
    { keeper: 'main', isWhole: false, checkedAtMs: START_MS, pending: 4, unseen: 1 },
  ]);
});
