import { describe, expect, it } from 'vitest';
import { type HistogramLine, sumOf } from '@/lib/contract/codec/histogram';
import { FakeLog, listOf, settled, tooMany, viewBetween } from './counts-fakes';
import { FROM, manyRows, readLines, run, TO, totalsOf } from './histogram-fakes';

describe('trouble', () => {
  it('before the first bucket is the only line', async () => {
    const log = new FakeLog(manyRows(10));
    const failure = { kind: 'unauthorized', service: 'logs', detail: 'key' } as const;
    log.answer = async () => ({ ok: false, failure });
    expect(await listOf(run({ view: viewBetween(FROM, TO), logs: [log] }).lines)).toEqual([
      { kind: 'problem', failure },
    ]);
  });

  it('with one bucket is the last line, after the ones that are known', async () => {
    const log = new FakeLog(manyRows(6000));
    const failure = { kind: 'failing', service: 'logs', detail: 'down' } as const;
    log.answer = async () => (log.asked.length > 60 ? { ok: false, failure } : undefined);
    const lines = await listOf(run({ view: viewBetween(FROM, TO), logs: [log] }).lines);
    expect(lines.at(-1)).toEqual({ kind: 'problem', failure });
    expect(lines.filter(({ kind }) => kind === 'bucket').length).toBeGreaterThan(2);
  });

  it('of our own budget only makes it slower', async () => {
    const log = new FakeLog(manyRows(6000));
    let refusals = 0;
    log.answer = async () => {
      refusals += 1;
      return refusals % 3 === 0 ? tooMany(2) : undefined;
    };
    const { lines, timers } = run({ view: viewBetween(FROM, TO), logs: [log] });
    let done: HistogramLine[] | undefined;
    void listOf(lines).then((all) => {
      done = all;
    });
    for (let n = 0; n < 200 && done === undefined; n += 1) {
      await settled();
      timers.advance(2000);
    }
    expect(done?.at(-1)).toEqual({ kind: 'complete' });
    expect(sumOf(totalsOf(readLines(done ?? []).buckets))).toBe(6000);
  });

  it('with the view itself is said without a call', async () => {
    const log = new FakeLog(manyRows(10));
    const lines = await listOf(run({ view: viewBetween(FROM, TO, { q: 'what?' }), logs: [log] }).lines);
    expect(lines).toMatchObject([{ kind: 'problem', failure: { kind: 'bad-request' } }]);
    expect(log.asked).toEqual([]);
  });
});
