import { describe, expect, it } from 'vitest';
import { ScriptedBrowser } from './browser-fixtures';
import { FeedStream } from './stream';

function stage() {
  const browser = new ScriptedBrowser();
  const links: string[] = [];
  const events: string[] = [];
  const stream: FeedStream = new FeedStream(browser.deps, {
    onEvent: ({ name }) => events.push(name),
    onLink: () => links.push(stream.link.kind),
  });
  stream.open('/stream');
  return { browser, stream, links, events };
}

const LIVE = { state: 'live', sinceMs: 0 };

describe('the stream of a page', () => {
  it('is one source, whose events are read', () => {
    const { browser, links, events } = stage();
    browser.source.open();
    browser.source.send('connection', LIVE);
    browser.source.emit('update', { data: 'no JSON' });
    expect([links, events, browser.openSources]).toEqual([['connecting', 'live'], ['connection'], 1]);
  });

  it('leaves short failures to the browser, and reopens a source with backoff once the browser gave it up', () => {
    const { browser, links } = stage();
    browser.source.open();
    browser.source.fail(0);
    expect([links.at(-1), browser.sources.length]).toEqual(['cut', 1]);
    for (const waitMs of [1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
      browser.source.fail(2);
      const before = browser.sources.length;
      browser.timers.pass(waitMs - 1);
      expect(browser.sources.length).toBe(before);
      browser.timers.pass(1);
      expect(browser.sources.length).toBe(before + 1);
    }
    expect(browser.openSources).toBe(1);
  });

  it('stays open at a named error of the stream itself', () => {
    const { browser, links } = stage();
    browser.source.open();
    browser.source.emit('error', { data: 'the service says something' });
    expect(links).toEqual(['connecting']);
  });

  it('reconnects over a new source after two missed heartbeats', () => {
    const { browser, stream } = stage();
    browser.source.open();
    browser.source.send('connection', LIVE);
    for (let beat = 0; beat < 10; beat += 1) {
      browser.timers.pass(15_000);
      browser.source.send('heartbeat', { nowMs: browser.timers.nowMs });
    }
    expect([stream.link.kind, browser.sources.length]).toEqual(['live', 1]);
    browser.timers.pass(29_000);
    expect([stream.link.kind, browser.sources.length]).toEqual(['live', 1]);
    browser.timers.pass(5_000);
    expect([stream.link.kind, browser.sources.length, browser.openSources]).toEqual(['silent', 2, 1]);
    // The new stream hangs too, as it does behind a VPN that is gone.
    browser.timers.pass(35_000);
    expect([stream.link.kind, browser.sources.length, browser.openSources]).toEqual(['silent', 3, 1]);
    browser.source.send('connection', LIVE);
    expect(stream.link.kind).toBe('live');
  });

  it('is not live after a sleep or an offline time until the new source is open', () => {
    const { browser, stream } = stage();
    browser.source.open();
    browser.source.send('connection', LIVE);
    // Timers stand still while a computer sleeps.
    browser.timers.nowMs += 60_000;
    browser.timers.pass(0);
    expect([stream.link.kind, browser.sources.length, browser.openSources]).toEqual(['silent', 2, 1]);
    browser.source.send('connection', LIVE);
    stream.renew();
    expect([stream.link.kind, browser.sources.length]).toEqual(['silent', 3]);
  });

  it('waits as long as a refusal requests, and is shown as refused until it is accepted', () => {
    const { browser, stream } = stage();
    browser.source.open();
    browser.source.send('refused', { kind: 'too-many', detail: 'Enough.', retryAfterS: 7 });
    expect(stream.link).toMatchObject({ kind: 'refused', retryAtMs: browser.timers.nowMs + 7_000 });
    expect(browser.openSources).toBe(0);
    browser.timers.pass(6_999);
    expect(browser.sources).toHaveLength(1);
    browser.timers.pass(1);
    browser.source.open();
    expect(stream.link.kind).toBe('refused');
    browser.source.send('connection', LIVE);
    expect(stream.link.kind).toBe('live');
  });

  it('treats a continuing silence as one, even if a new stream reports it again', () => {
    const { browser, stream } = stage();
    const receivedAtMs = browser.timers.nowMs;
    browser.source.send('connection', { state: 'quiet', sinceMs: 3 });
    browser.timers.nowMs += 5_000;
    stream.renew();
    browser.source.send('connection', { state: 'quiet', sinceMs: 3 });
    expect(stream.link).toMatchObject({ kind: 'quiet', sinceMs: 3, receivedAtMs });
  });

  it('has no source and no timer once it is closed', () => {
    const { browser, stream } = stage();
    browser.source.open();
    stream.close('paused');
    stream.renew();
    expect([stream.link.kind, browser.openSources, browser.timers.pending]).toEqual(['paused', 0, 0]);
  });
});
