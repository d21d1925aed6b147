import { beforeEach, describe, expect, it } from 'vitest';
import { FakeBrowser } from './feed-fakes';
import { FeedSource, SILENCE_MS, type SourceLink } from './feed-source';

let browser: FakeBrowser;
let links: SourceLink[];
let heard: string[];
let source: FeedSource;

beforeEach(() => {
  browser = new FakeBrowser();
  links = [];
  heard = [];
  source = new FeedSource(browser.edges, ['update'], {
    onEvent: (type, data) => heard.push(`${type} ${data}`),
    onLink: (link) => links.push(link),
  });
});

const lastLink = () => links.at(-1);

describe('the source of the stream', () => {
  it('connects only when it is opened', () => {
    expect(browser.sources).toHaveLength(0);
    source.open('/stream');
    expect(browser.sources).toHaveLength(1);
    expect(lastLink()).toEqual({ kind: 'opening' });
  });

  it('hands on events with their names', () => {
    source.open('/stream');
    browser.source.open();
    browser.source.send('update', { a: 1 });
    expect(heard).toEqual(['update {"a":1}']);
    expect(lastLink()).toEqual({ kind: 'open' });
  });

  it('leaves a broken connection to the browser, which resumes it', () => {
    source.open('/stream');
    browser.source.open();
    browser.source.breakOff();
    expect(lastLink()).toEqual({ kind: 'lost', sinceMs: browser.now });
    expect(browser.sources).toHaveLength(1);
  });

  it('takes an error event of the stream itself for no loss', () => {
    source.open('/stream');
    browser.source.open();
    browser.source.send('error', 'Slow consumer');
    expect(lastLink()).toEqual({ kind: 'open' });
  });

  it('creates a source anew that the browser closed for good, after waits that grow up to 15 s', () => {
    source.open('/stream');
    const waits: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      browser.source.giveUp();
      const link = lastLink();
      const waitMs =
        link?.kind === 'lost' && link.retryAtMs !== undefined ? link.retryAtMs - browser.now : -1;
      waits.push(waitMs);
      browser.pass(waitMs - 1);
      expect(browser.openSources).toBe(0);
      browser.pass(1);
      expect(browser.openSources).toBe(1);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  });

  it('tells since when the connection is lost, across attempts', () => {
    source.open('/stream');
    browser.source.giveUp();
    const sinceMs = browser.now;
    browser.pass(1_000);
    browser.source.giveUp();
    expect(lastLink()).toMatchObject({ kind: 'lost', sinceMs });
  });

  it('begins with short waits again once something was heard', () => {
    source.open('/stream');
    browser.source.giveUp();
    browser.pass(1_000);
    browser.source.open();
    browser.source.send('update', 1);
    browser.source.giveUp();
    expect(lastLink()).toMatchObject({ retryAtMs: browser.now + 1_000 });
  });

  it('makes a new connection when nothing came for 45 s, without a word about it', () => {
    source.open('/stream');
    browser.source.open();
    browser.pass(SILENCE_MS - 1);
    expect(browser.sources).toHaveLength(1);
    browser.pass(1);
    expect(browser.sources).toHaveLength(2);
    expect(browser.openSources).toBe(1);
    expect(lastLink()).toEqual({ kind: 'open' });
  });

  it('never has two connections, and ignores what an old one still says', () => {
    source.open('/stream?a');
    const old = browser.source;
    source.open('/stream?b');
    old.send('update', 'late');
    old.giveUp();
    expect(browser.openSources).toBe(1);
    expect(heard).toEqual([]);
  });

  it('leaves nothing behind when it is closed', () => {
    source.open('/stream');
    browser.source.giveUp();
    source.close();
    browser.pass(60_000);
    expect(browser.openSources).toBe(0);
    expect(browser.waitingTimers).toBe(0);
    expect(lastLink()).toEqual({ kind: 'closed' });
  });

  it('does not open by being renewed', () => {
    source.renew();
    expect(browser.sources).toHaveLength(0);
  });
});
