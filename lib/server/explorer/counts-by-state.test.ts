import { expect, it } from 'vitest';
import { noCounts } from '@/lib/contract/codec/histogram';
import { ok } from '@/lib/domain/outcome';
import { ManualTimers } from '@/lib/upstream/manual-timers';
import { createCounts } from './counts';
import { countByState } from './counts-by-state';
import { FakeLog } from './counts-fakes';
import type { LogFilter } from './log-source';

const AT = '2026-11-20T08:00:00Z';
const never = new AbortController().signal;
const rowsOf = (...states: string[]) => states.map((state) => ({ at: AT, state }));

function count(log: FakeLog, total = log.rows.length) {
  const counts = createCounts({ now: () => 0, timers: new ManualTimers() });
  return countByState(counts, { source: log, filter: {} }, total, never);
}

it('counts each state once', async () => {
  const log = new FakeLog(rowsOf('Pending', 'Failed', 'Completed', 'Completed', 'CallbackErrored'));
  const expected = { ...noCounts(), pending: 1, failed: 1, completed: 2, 'callback-failed': 1 };
  expect(await count(log)).toEqual(ok(expected));
  expect(log.asked).toHaveLength(4);
});

it('asks nothing where there is nothing, and once where all are completed', async () => {
  const none = new FakeLog();
  expect(await count(none)).toEqual(ok(noCounts()));
  expect(none.asked).toEqual([]);
  const all = new FakeLog(rowsOf('Completed', 'Completed'));
  expect(await count(all)).toEqual(ok({ ...noCounts(), completed: 2 }));
  expect(all.asked).toHaveLength(1);
});

it('calls unknown what no state accounts for', async () => {
  const log = new FakeLog(rowsOf('Pending', 'Revealing', 'Paused'));
  expect(await count(log)).toEqual(ok({ ...noCounts(), pending: 1, unknown: 2 }));
});

/** A log whose pending row is answered right after the `n`th count. */
function answeredAfter(n: number): FakeLog {
  const log = new FakeLog(rowsOf('Pending', 'Pending', 'Completed'));
  let asked = 0;
  const count = log.count.bind(log);
  log.count = async (filter: LogFilter) => {
    const answer = await count(filter);
    asked += 1;
    if (asked === n) log.rows = rowsOf('Pending', 'Completed', 'Completed');
    return answer;
  };
  return log;
}

it('never takes a row that is answered meanwhile for one of an unknown state', async () => {
  for (let n = 1; n <= 12; n += 1) {
    const found = await count(answeredAfter(n), 3);
    if (!found.ok) throw new Error(found.failure.detail);
    expect(found.value.unknown).toBe(0);
    expect(found.value.pending + found.value.completed).toBe(3);
  }
});

it('passes a failure on', async () => {
  const log = new FakeLog(rowsOf('Pending'));
  const failure = { kind: 'failing', detail: 'down' } as const;
  log.answer = async ({ state }) => (state === 'Failed' ? { ok: false, failure } : undefined);
  expect(await count(log)).toEqual({ ok: false, failure });
});
