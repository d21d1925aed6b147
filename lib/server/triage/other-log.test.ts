import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordsOf } from './log-rows';
import { isOtherLog, isStrange } from './other-log';
import { type FakeRequest, requests, rowOf, START_MS } from './triage-fakes';

const rowsOf = (list: readonly FakeRequest[]) =>
  recordsOf(list.map((request) => ({ ...rowOf(request), keeper: 'main' })));
const stretch = (list: readonly FakeRequest[], fromMs: number, toMs = START_MS) => ({
  rows: rowsOf(list),
  fromMs,
  toMs,
});

/** One a second, the newest now. */
const LOG = requests('8453', 60, START_MS, 1000);
const before = stretch(LOG.slice(20), START_MS - 39_000);

describe('rows that came later', () => {
  it('are of the same log when more came, some finished, or only a part was asked for', () => {
    const later = requests('8453', 5, START_MS + 9000, 1000, (index) => ({ sequence: 100 + index }));
    const done = LOG.map((one, index) => (index % 2 ? { ...one, finishedMs: START_MS + 1000 } : one));
    expect(isOtherLog(before, stretch([...done, ...later], START_MS - 60_000, START_MS + 10_000))).toBe(
      false,
    );
    expect(isOtherLog(before, stretch(LOG.slice(40), START_MS - 19_000))).toBe(false);
    expect(isOtherLog(before, stretch(LOG.slice(0, 30), START_MS - 60_000, START_MS - 31_000))).toBe(false);
    expect(isStrange(before, rowsOf(LOG.slice(0, 3)))).toBe(false);
  });

  it('are of another one when a row should have been there', () => {
    const odd = { networkId: '8453', sequence: 900, createdMs: START_MS - 39_000 };
    expect(isStrange(before, rowsOf([odd]))).toBe(true);
    expect(isStrange(before, rowsOf([{ ...odd, createdMs: START_MS - 39_001 }]))).toBe(false);
    expect(isStrange(before, rowsOf([{ ...odd, createdMs: START_MS + 1 }]))).toBe(false);
  });

  it('are of another one when a row is gone', () => {
    expect(isOtherLog(before, stretch(LOG.slice(20, 59), START_MS - 39_000))).toBe(true);
    expect(isOtherLog(before, stretch(LOG.slice(20, 59), START_MS - 39_000, START_MS - 1))).toBe(false);
  });

  it('are of another one when what had finished is pending', () => {
    const done = stretch([{ ...(LOG[0] as FakeRequest), finishedMs: START_MS }], START_MS);
    expect(isStrange(done, rowsOf(LOG.slice(0, 1)))).toBe(true);
  });

  it('of any log that goes on are never taken for another one', () => {
    const cut = fc.record({ from: fc.nat(60), now: fc.nat(60), after: fc.nat(60), later: fc.nat(30) });
    fc.assert(
      fc.property(cut, ({ from, now, after, later }) => {
        const at = (index: number) => START_MS - (59 - index) * 1000;
        const seen = stretch(LOG.slice(from, now + 1), at(from), at(now));
        const end = Math.min(59, now + later);
        const done = LOG.slice(after, end + 1).map((one) => ({ ...one, finishedMs: at(end) + 1 }));
        expect(isOtherLog(seen, stretch(done, at(after), at(end)))).toBe(false);
      }),
    );
  });
});
