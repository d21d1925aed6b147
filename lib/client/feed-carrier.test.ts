import { beforeEach, describe, expect, it } from 'vitest';
import type { FeedStreamEvent } from '@/lib/contract/codec/feed-stream';
import { HELLO_MS, PING_MS, PONG_MS, SharedCarrier } from './feed-carrier';
import { FakeBrowser } from './feed-fakes';
import { FeedSwitchboard } from './feed-switchboard';
import {
  type FeedTabPort,
  type FeedWorkerPort,
  seatTab,
  TAB_SILENCE_MS,
  type TabMessage,
  type WorkerMessage,
} from './feed-tab-port';

const A = 'aa'.repeat(32);
const B = 'bb'.repeat(32);
const live = { state: 'live', sinceMs: 0 };

let browser: FakeBrowser;
let board: FeedSwitchboard;
/** What a page finds that looks for the worker. */
let worker: 'runs' | 'is silent' | 'is unknown';
/** The ways that were made; one that is cut swallows everything. */
let ways: { cut: boolean }[];

beforeEach(() => {
  browser = new FakeBrowser();
  board = new FeedSwitchboard(browser.edges, 0);
  worker = 'runs';
  ways = [];
});

/** The two ends of a message channel; what comes before somebody listens waits for it, as in a browser. */
function channel(): { tab: FeedTabPort; end: FeedWorkerPort } {
  const way = { cut: false };
  ways.push(way);
  const waiting: WorkerMessage[] = [];
  let toTab = (message: WorkerMessage): void => void waiting.push(message);
  let toWorker = (_: TabMessage): void => {};
  const tab: FeedTabPort = {
    send: (message) => way.cut || toWorker(message),
    listen: (listener) => {
      toTab = listener;
      for (const message of waiting.splice(0)) listener(message);
    },
    close: () => {
      way.cut = true;
    },
  };
  const end: FeedWorkerPort = {
    send: (message) => way.cut || toTab(message),
    listen: (listener) => {
      toWorker = listener;
    },
    onGone: () => {},
  };
  return { tab, end };
}

/** The browser ends the worker without a word, with the stream that it held. */
function killWorker(): void {
  for (const way of ways) way.cut = true;
  browser.source.close();
  board = new FeedSwitchboard(browser.edges, 0);
}

function connect(): FeedTabPort | undefined {
  if (worker === 'is unknown') return undefined;
  const { tab, end } = channel();
  if (worker === 'runs') seatTab(end, board, browser.edges);
  return tab;
}

function openTab(id = A) {
  const events: FeedStreamEvent[] = [];
  const ears = { onEvent: (event: FeedStreamEvent) => events.push(event), onLink: () => {} };
  const carrier = new SharedCarrier({ ...browser.edges, connect }, ears);
  carrier.follow({ ids: [id] });
  return { carrier, names: () => events.map(({ name }) => name) };
}

function begin(): void {
  browser.source.open();
  browser.source.send('snapshot', { feeds: [], missing: [], connection: live });
}

describe('a page on the shared stream', () => {
  it('shares it with the others', () => {
    const tabs = Array.from({ length: 7 }, () => openTab());
    begin();
    expect(browser.openSources).toBe(1);
    for (const { names } of tabs) expect(names()).toEqual(['snapshot']);
  });

  it('says now and then that it is there, and stays', () => {
    openTab();
    begin();
    browser.pass(10 * TAB_SILENCE_MS);
    expect([board.wishes, ways.length]).toEqual([1, 1]);
  });

  it('leaves at once when nothing is wanted, and comes back', () => {
    const { carrier } = openTab();
    begin();
    carrier.follow(undefined);
    expect([board.wishes, browser.openSources]).toEqual([0, 0]);
    carrier.follow({ ids: [B] });
    expect([board.wishes, browser.openSources]).toEqual([1, 1]);
  });
});

describe('the worker', () => {
  const heard: WorkerMessage['kind'][] = [];
  let say: (message: TabMessage) => void;
  let goAway: () => void;

  beforeEach(() => {
    heard.length = 0;
    const end: FeedWorkerPort = {
      send: ({ kind }) => heard.push(kind),
      listen: (listener) => {
        say = listener;
      },
      onGone: (listener) => {
        goAway = listener;
      },
    };
    seatTab(end, board, browser.edges);
    say({ kind: 'wish', wish: { ids: [A] } });
  });

  it('gives up a page of which it hears nothing for 40 s, as it has crashed', () => {
    browser.pass(TAB_SILENCE_MS - 1);
    expect(board.wishes).toBe(1);
    browser.pass(1);
    expect([board.wishes, browser.openSources]).toEqual([0, 0]);
  });

  it('asks a page that it had given up what it wants', () => {
    browser.pass(TAB_SILENCE_MS);
    say({ kind: 'ping' });
    expect(heard.at(-1)).toBe('hello');
    say({ kind: 'wish', wish: { ids: [A] } });
    expect([board.wishes, heard.at(-1)]).toEqual([1, 'pong']);
  });

  it('forgets a page that says good-bye, or that the browser says is gone', () => {
    say({ kind: 'bye' });
    expect(board.wishes).toBe(0);
    say({ kind: 'wish', wish: { ids: [A] } });
    goAway();
    expect([board.wishes, browser.waitingTimers]).toEqual([0, 0]);
  });
});

describe('a page whose worker fails it', () => {
  it('has a stream of its own where the browser knows no such worker', () => {
    worker = 'is unknown';
    const { names } = openTab();
    begin();
    expect(names()).toEqual(['snapshot']);
  });

  it('has a stream of its own when the worker never speaks', () => {
    worker = 'is silent';
    const { names } = openTab();
    browser.pass(2 * HELLO_MS);
    begin();
    expect(ways).toHaveLength(2);
    expect(names()).toEqual(['snapshot']);
  });

  it('looks for another one when it wakes and this one does not answer', () => {
    const { carrier } = openTab();
    begin();
    killWorker();
    carrier.wake();
    browser.pass(PONG_MS);
    expect([ways.length, board.wishes, browser.openSources]).toEqual([2, 1, 1]);
  });

  it('notices that it died while the page only listens', () => {
    openTab();
    begin();
    killWorker();
    browser.pass(PING_MS + HELLO_MS);
    expect([ways.length, board.wishes, browser.openSources]).toEqual([2, 1, 1]);
  });
});
