import { beforeEach, describe, expect, it } from 'vitest';
import { FakeBrowser } from './feed-fakes';
import { followPageLife, HIDDEN_CLOSE_MS, type PageEdges } from './feed-page-life';

let browser: FakeBrowser;
let calls: string[];
let hidden: boolean;
let needed: boolean;
let fire: (type: Parameters<PageEdges['on']>[0], event?: { persisted?: boolean }) => void;
let end: () => void;

beforeEach(() => {
  browser = new FakeBrowser();
  calls = [];
  hidden = false;
  needed = false;
  const listeners = new Map<string, (event: { persisted?: boolean }) => void>();
  fire = (type, event = {}) => listeners.get(type)?.(event);
  const note = (name: string) => () => {
    calls.push(name);
  };
  end = followPageLife(
    {
      pause: (end) => note(end === undefined ? 'pause' : `pause ${end}`)(),
      resume: note('resume'),
      wake: note('wake'),
    },
    {
      ...browser.edges,
      hidden: () => hidden,
      needed: () => needed,
      on: (type, listener) => {
        listeners.set(type, listener);
        return () => listeners.delete(type);
      },
    },
  );
});

function setHidden(value: boolean): void {
  hidden = value;
  fire('visibilitychange');
}

describe('the stream over the life of a page', () => {
  it('stays open over a short look at another tab', () => {
    setHidden(true);
    browser.pass(HIDDEN_CLOSE_MS - 1);
    setHidden(false);
    browser.pass(HIDDEN_CLOSE_MS);
    expect(calls).toEqual(['resume']);
  });

  it('is given back when the page stays in the background, and made anew when it is seen again', () => {
    setHidden(true);
    browser.pass(HIDDEN_CLOSE_MS);
    expect(calls).toEqual(['pause']);
    setHidden(false);
    expect(calls).toEqual(['pause', 'wake']);
  });

  it('stays open in the background for as long as an alert waits for it', () => {
    needed = true;
    setHidden(true);
    browser.pass(10 * HIDDEN_CLOSE_MS);
    expect(calls).toEqual([]);
    needed = false;
    browser.pass(HIDDEN_CLOSE_MS);
    expect(calls).toEqual(['pause']);
  });

  it('is made anew after sleep, during which timers stood still', () => {
    setHidden(true);
    browser.now += 3_600_000;
    setHidden(false);
    expect(calls).toEqual(['wake']);
  });

  it('is closed before the page goes into the back-forward cache, and opened on its return', () => {
    fire('pagehide', { persisted: true });
    fire('pageshow', { persisted: true });
    expect(calls).toEqual(['pause at once', 'resume']);
  });

  it('is left to the next page of the tab for a moment where the page is given up', () => {
    fire('pagehide', { persisted: false });
    expect(calls).toEqual(['pause']);
  });

  it('is not touched by the first showing of a page', () => {
    fire('pageshow', { persisted: false });
    expect(calls).toEqual([]);
  });

  it('is made anew when the computer is online again', () => {
    fire('online');
    expect(calls).toEqual(['wake']);
  });

  it('hears nothing more after the end', () => {
    setHidden(true);
    end();
    browser.pass(HIDDEN_CLOSE_MS);
    fire('online');
    expect(calls).toEqual([]);
  });
});
