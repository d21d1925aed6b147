import { expect, it } from 'vitest';
import { FakeBrowser } from './feed-fakes';
import { areUpdatesNeeded, frameOrTimer, needUpdates } from './feed-need';

function frames() {
  const browser = new FakeBrowser();
  let ran = 0;
  frameOrTimer(() => (ran += 1), { ...browser.edges, frame: browser.edges.requestFrame });
  return { browser, ran: () => ran };
}

it('waits for a frame alone while nobody needs updates', () => {
  const { browser, ran } = frames();
  browser.pass(60_000);
  expect(ran()).toBe(0);
  browser.paint();
  expect(ran()).toBe(1);
});

it('runs without a frame where updates are needed, and once', () => {
  const end = needUpdates();
  expect(areUpdatesNeeded()).toBe(true);
  const late = frames();
  late.browser.pass(1_000);
  late.browser.paint();
  expect(late.ran()).toBe(1);
  const soon = frames();
  soon.browser.paint();
  expect(soon.browser.waitingTimers).toBe(0);
  expect(soon.ran()).toBe(1);
  end();
  expect(areUpdatesNeeded()).toBe(false);
});
