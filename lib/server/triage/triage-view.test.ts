import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { settingsWith } from '@/lib/domain/diagnosis/diagnosis-settings';
import { missing } from '@/lib/domain/diagnosis/evidence';
import { ManualTimers } from '@/lib/upstream/manual-timers';
import { type Gathered, TriageView } from './triage-view';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Evidence of its own at every reading, as after every look. */
const gathered = (): Gathered => ({
  ...{ version: 1, state: 'complete', checkedAtMs: 0, progress: undefined, troubles: [] },
  evidence: [{ keeper: 'main', pending: missing('not asked'), networks: [] }],
});

function made() {
  const timers = new ManualTimers();
  const view = new TriageView({
    gathered,
    settingsOf: () => settingsWith({}),
    now: timers.elapsed.bind(timers),
    timers,
  });
  return { timers, view };
}

async function isHeld(one: WeakRef<object>): Promise<boolean> {
  for (let n = 0; n < 3; n += 1) {
    await turn();
    collectGarbage();
  }
  return one.deref() !== undefined;
}

it('gives the same state of things to all who ask at about the same time', async () => {
  const { view, timers } = made();
  const first = await view.now();
  timers.advance(999);
  expect(await view.now()).toBe(first);
  timers.advance(1);
  expect(await view.now()).not.toBe(first);
});

it('holds on to the evidence as long as somebody is given it, and no longer', async () => {
  const { view, timers } = made();
  const seen = new WeakRef((await view.now()).gathered.evidence);
  timers.advance(999);
  expect(await isHeld(seen)).toBe(true);
  timers.advance(1);
  expect(await isHeld(seen)).toBe(false);
});
