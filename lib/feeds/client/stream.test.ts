import { describe, expect, it } from 'vitest';
import { ScriptedBrowser } from './browser-fixtures';
import { FeedStream, SILENCE_MS } from './stream';

function stage() {
  const browser = new ScriptedBrowser();
  const ways: string[] = [];
  const events: string[] = [];
  const stream = new FeedStream(browser.edges, {
    onEvent: ({ name }) => events.push(name),
    onWay: (way) => ways.push(way.kind),
  });
  stream.open('/stream');
  return { browser, stream, ways, events };
}

const LIVE = { state: 'live', sinceMs: 0 };

describe('the stream of a page', () => {
  it('is one source, whose events are read', () => {
    const { browser, ways, events } = stage();
    browser.source.open();
    browser.source.send('connection', LIVE);
    browser.source.emit('update', { data: 'no JSON' });
    expect([ways, events, browser.openSources]).toEqual([['opening', 'open'], ['connection'], 1]);
  });

  it('leaves short trouble to the browser, and makes a source anew that the browser gave up, ever more seldom', () => {
    const { browser, ways } = stage();
    browser.source.open();
    browser.source.fail(0);
    expect([ways.at(-1), browser.sources.length]).toEqual(['lost', 1]);
    for (const waitMs of [1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
      browser.source.fail(2);
      const before = browser.sources.length;
      browser.pass(waitMs - 1);
      expect(browser.sources.length).toBe(before);
      browser.pass(1);
      expect(browser.sources.length).toBe(before + 1);
    }
    expect(browser.openSources).toBe(1);
  });

  it('stays open at a named error of the stream itself', () => {
    const { browser, ways } = stage();
    browser.source.open();
    browser.source.emit('error', { data: 'the service says something' });
    expect(ways).toEqual(['opening', 'open']);
  });

  it('is made anew after a silence, and at once after a sleep', () => {
    const { browser } = stage();
    browser.source.open();
    browser.pass(SILENCE_MS - 3_000);
    expect(browser.sources).toHaveLength(1);
    browser.pass(4_000);
    expect(browser.sources).toHaveLength(2);
    browser.source.open();
    // Timers stand still while a computer sleeps.
    browser.now += 60_000;
    browser.pass(0);
    expect([browser.sources.length, browser.openSources]).toEqual([3, 1]);
  });

  it('waits as long as a refusal says, and is shown as refused until it is not', () => {
    const { browser, ways } = stage();
    browser.source.open();
    browser.source.send('refused', { kind: 'too-many', detail: 'Enough.', retryAfterS: 7 });
    expect([ways.at(-1), browser.openSources]).toEqual(['refused', 0]);
    browser.pass(6_999);
    expect(browser.sources).toHaveLength(1);
    browser.pass(1);
    browser.source.open();
    expect(ways.at(-1)).toBe('refused');
    browser.source.send('connection', LIVE);
    expect(ways.at(-1)).toBe('open');
  });

  it('leaves nothing behind when it is closed', () => {
    const { browser, stream, ways } = stage();
    browser.source.open();
    stream.close();
    stream.renew();
    expect([ways.at(-1), browser.openSources, browser.waitingTimers]).toEqual(['closed', 0, 0]);
  });
});
