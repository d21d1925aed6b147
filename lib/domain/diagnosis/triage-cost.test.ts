import { describe, expect, it } from 'vitest';
import {
  countingReads,
  finishedRows,
  hashOf,
  keeper,
  known,
  NOW,
  network,
  row,
  rows,
  senderOf,
  settingsOf,
} from './diagnosis-fixture';
import { triage } from './triage';

/** Pending on 14 networks: of so many senders each, two of a transaction. */
const pendingRows = (count: number, senders: number) =>
  rows(count, 0, (step) => ({
    networkId: String(step % 14),
    sequence: String(Math.floor(step / 14)),
    ageS: 430 + ((step * 37) % 40_000),
    sender: senderOf(Math.floor(step / 14) % senders),
    requestTxHash: hashOf(step >> 1),
  }));

/** Rows read while so many pending requests are grouped, those of 14 times 1,000 finished requests among them. */
function cost(count: number, senders: number): { reads: number; incidents: number } {
  const pending = countingReads(pendingRows(count, senders));
  const done = rows(1000, 50_000, (step) => ({
    ageS: step * 60,
    tookS: 4,
    sender: senderOf(5000 + (step % 90)),
  }));
  const finished = countingReads(done);
  const networks = Array.from({ length: 14 }, (_, id) =>
    network(String(id), {
      lastDay: known(5000),
      newest: known(row(1)),
      finished: finishedRows(finished.list, NOW - 60_000_000),
    }),
  );
  const found = triage([keeper(pending.list, networks)], settingsOf, NOW);
  expect(found.pending).toBe(count);
  expect(finished.reads()).toBeLessThan(14 * 1000 * 20);
  return { reads: pending.reads(), incidents: found.incidents.length };
}

describe('ten thousand pending requests on 14 networks', () => {
  it.each([3, 60, 200, 5000])(
    'of %d senders each are grouped with work in proportion to their number',
    (senders) => {
      const [half, whole] = [cost(5000, senders), cost(10_000, senders)];
      expect(whole.reads).toBeLessThan(half.reads * 2.2);
      expect(whole.reads).toBeLessThan(10_000 * 40);
    },
  );

  it('finished rows are not read again for each of hundreds of incidents', () => {
    expect(cost(10_000, 200).incidents).toBeGreaterThan(1000);
  });
});
