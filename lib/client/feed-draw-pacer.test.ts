import { beforeEach, describe, expect, it } from 'vitest';
import { DrawPacer, SHORTEST_TURN_MS } from './feed-draw-pacer';
import { FakeBrowser } from './feed-fakes';

let browser: FakeBrowser;
let hidden: boolean;
let pacer: DrawPacer;

beforeEach(() => {
  browser = new FakeBrowser();
  hidden = false;
  pacer = new DrawPacer({ ...browser.edges, pageHidden: () => hidden });
});

describe('the round of drawings', () => {
  it('draws every chart once in a turn, never two at the same moment', () => {
    const drawn: [string, number][] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      pacer.join(() => drawn.push([name, browser.now]));
    }
    browser.pass(SHORTEST_TURN_MS * 2);
    const names = drawn.map(([name]) => name).slice(-4);
    expect([...names].sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(new Set(drawn.map(([, atMs]) => atMs)).size).toBe(drawn.length);
  });

  it('draws at most 20 times a second, however many charts there are', () => {
    let drawn = 0;
    for (let index = 0; index < 60; index += 1) {
      pacer.join(() => {
        drawn += 1;
      });
    }
    browser.pass(10_000);
    expect(drawn).toBeLessThanOrEqual(200);
    expect(drawn).toBeGreaterThan(180);
  });

  it('draws nothing while the page is hidden', () => {
    let drawn = 0;
    pacer.join(() => {
      drawn += 1;
    });
    hidden = true;
    browser.pass(5_000);
    expect(drawn).toBe(0);
  });

  it('leaves out a chart that left, also while it is being drawn, and ends with the last one', () => {
    const drawn: string[] = [];
    const leaveA = pacer.join(() => {
      drawn.push('a');
      leaveA();
    });
    const leaveB = pacer.join(() => drawn.push('b'));
    browser.pass(3_000);
    expect(drawn.filter((name) => name === 'a')).toHaveLength(1);
    expect(drawn.filter((name) => name === 'b').length).toBeGreaterThan(3);
    leaveB();
    leaveB();
    expect(browser.waitingTimers).toBe(0);
  });
});
