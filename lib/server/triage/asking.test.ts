import { expect, it } from 'vitest';
import { failed, type ok } from '@/lib/domain/outcome';
import { ManualTimers } from '@/lib/upstream/manual-timers';
import { Asking, NOBODY_LOOKS } from './asking';
import { FAILING, settle } from './triage-fakes';

const REFUSED = { kind: 'too-many', detail: 'The call budget is spent.', retryAfterS: 10 } as const;

function made() {
  const timers = new ManualTimers();
  const asking = new Asking(
    { priority: 'user', timers, isWanted: () => timers.elapsed() < 30_000 },
    'a look',
  );
  const calls: number[] = [];
  const question = (answer: ReturnType<typeof failed> | ReturnType<typeof ok>) => () => {
    calls.push(timers.elapsed());
    return Promise.resolve(answer);
  };
  return { timers, asking, calls, question };
}

it('asks again while the call budget refuses, and no more once nobody looks', async () => {
  const { asking, timers, calls, question } = made();
  const answer = await settle(asking.ask('rows', question(failed(REFUSED))), timers, 1000);
  expect(calls).toEqual([0, 10_000, 20_000]);
  expect(answer).toEqual(failed(NOBODY_LOOKS));
  expect(asking.isGivenUp).toBe(true);
});

it('puts a question once more that failed by chance', async () => {
  const { asking, timers, calls, question } = made();
  expect(await settle(asking.ask('rows', question(failed(FAILING))), timers)).toEqual(failed(FAILING));
  expect(calls).toHaveLength(2);
  expect(asking.isGivenUp).toBe(false);
});

it('takes what was under way when another question ended the look for no trouble of the service', async () => {
  const { asking, timers, question } = made();
  const cut = { kind: 'timeout', detail: 'The call was ended.' } as const;
  const underWay = asking.ask(
    'rows',
    () => new Promise((answer) => timers.after(35_000, () => answer(failed(cut)))),
  );
  const ending = asking.ask('counts', question(failed(REFUSED)));
  expect(await settle(Promise.all([underWay, ending]), timers, 1000)).toEqual([
    failed(NOBODY_LOOKS),
    failed(NOBODY_LOOKS),
  ]);
});
