import { describe, expect, it } from 'vitest';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { type WatchChange, type Watched, withoutWatched, withWatched } from './watch-book';
import { WatchPoller } from './watch-poller';
import { WatchStore } from './watch-store';

const NOW = Date.UTC(2026, 10, 20, 12);
const idOf = (sequence: number) => `main/8453/0xab/${sequence}/0xcd`;
const request = (sequence: number, state = 'pending'): Watched => ({
  kind: 'request',
  id: idOf(sequence),
  keeper: 'main',
  networkId: '8453',
  sinceMs: NOW,
  state,
});

const row = (sequence: number, state: string) =>
  `{"network_id":8453,"provider":"0xab","sequence":${sequence},"request_tx_hash":"0xcd",` +
  `"created_at":"2026-11-20T11:00:00Z","last_updated_at":"2026-11-20T11:00:00Z","state":{"state":"${state}"}}`;
const answer = (...rows: string[]) =>
  ok(
    `{"atMs":${NOW},"rows":[${rows.map((text) => `{"keeper":"main","row":${text}}`).join(',')}],"asked":[]}`,
  );
const down = failed<string>({ kind: 'unreachable', service: 'logs', detail: '' });

/** A poller over a world whose time and answers the test says. */
function stage(...watched: Watched[]) {
  const world = { nowMs: NOW, hidden: false, states: new Map<string, string>() };
  const asked: string[] = [];
  const seen: WatchChange[] = [];
  let alarm: { run: () => void; atMs: number } | undefined;
  let reply = (sequence: string): Outcome<string> =>
    answer(row(Number(sequence), world.states.get(sequence) ?? 'pending'));
  const store = new WatchStore(undefined);
  for (const one of watched) store.change((book) => ({ book: withWatched(book, one), result: undefined }));
  const poller = new WatchPoller(store, {
    ask: async (path) => {
      const sequence = new URL(path, 'http://page').searchParams.get('sequence') ?? path;
      asked.push(sequence);
      return reply(sequence);
    },
    now: () => world.nowMs,
    setTimer: (run, ms) => {
      alarm = { run, atMs: world.nowMs + ms };
      return alarm;
    },
    clearTimer: (timer) => {
      if (timer === alarm) alarm = undefined;
    },
    random: () => 0,
    isHidden: () => world.hidden,
    onChanges: (changes) => seen.push(...changes),
  });
  /** Lets the next round begin and end; gives how long it had to wait, undefined when there is none. */
  const round = async (): Promise<number | undefined> => {
    if (alarm === undefined) return undefined;
    const { run, atMs } = alarm;
    const waited = atMs - world.nowMs;
    world.nowMs = atMs;
    alarm = undefined;
    run();
    // Answers are at hand: as many turns of the event loop as there are questions, and some.
    for (let turn = 0; turn < 200; turn++) await Promise.resolve();
    return waited;
  };
  const answerWith = (next: typeof reply) => {
    reply = next;
  };
  return { world, asked, seen, store, poller, round, answerWith };
}

describe('the poller of what is watched', () => {
  it('asks at once, then every five seconds, and says what has changed', async () => {
    const { poller, round, asked, seen, world } = stage(request(1));
    poller.start();
    expect(await round()).toBe(0);
    expect(await round()).toBe(5_000);
    expect(seen).toEqual([]);
    world.states.set('1', 'failed');
    await round();
    expect(seen.map(({ from, to }) => `${from} → ${to}`)).toEqual(['pending → failed']);
    expect(asked).toEqual(['1', '1', '1']);
  });

  it('rests when nothing can change any more, and begins again with the next one', async () => {
    const { poller, round, store, world, asked } = stage(request(1));
    world.states.set('1', 'completed');
    poller.start();
    await round();
    expect(poller.standing()).toEqual({ kind: 'idle' });
    expect(await round()).toBeUndefined();
    store.change((book) => ({ book: withWatched(book, request(2)), result: undefined }));
    expect(await round()).toBe(0);
    expect(asked).toEqual(['1', '2']);
    store.change((book) => ({ book: withoutWatched(book, idOf(2)), result: undefined }));
    expect(await round()).toBeUndefined();
  });

  it('asks about a failed one seldom: it may still complete', async () => {
    const { poller, round, asked, world } = stage(request(1, 'failed'), request(2));
    world.states.set('1', 'failed');
    poller.start();
    for (let turn = 0; turn < 13; turn++) await round();
    expect(asked.filter((sequence) => sequence === '1').length).toBe(2);
    expect(asked.filter((sequence) => sequence === '2').length).toBe(13);
  });

  it('spreads many over rounds of ten, those first that were asked about longest ago', async () => {
    const { poller, round, asked } = stage(...Array.from({ length: 25 }, (_, index) => request(index)));
    poller.start();
    for (const wait of [0, 0, 0]) expect(await round()).toBe(wait);
    expect(asked.length).toBe(25);
    expect(new Set(asked).size).toBe(25);
    expect(await round()).toBe(5_000);
    expect(asked.length).toBe(35);
  });

  it('backs off while the service fails, keeps what it knows, and goes on when it is back', async () => {
    const { poller, round, answerWith, asked, seen } = stage(request(1), request(2));
    answerWith(() => down);
    poller.start();
    expect(await round()).toBe(0);
    expect(asked.length).toBe(1);
    expect(poller.standing()).toMatchObject({ kind: 'waits', againAtMs: NOW + 5_000 });
    expect([await round(), await round(), await round()]).toEqual([5_000, 10_000, 20_000]);
    expect(seen).toEqual([]);
    answerWith((sequence) => answer(row(Number(sequence), 'pending')));
    expect(await round()).toBe(40_000);
    expect(poller.standing().kind).toBe('watching');
    expect(await round()).toBe(5_000);
  });

  it('is not held up by one that can’t be asked about', async () => {
    const { poller, round, answerWith, asked } = stage(request(1), request(2));
    const refused = failed<string>({ kind: 'bad-request', detail: 'No such keeper.' });
    answerWith((sequence) => (sequence === '2' ? refused : answer(row(1, 'pending'))));
    poller.start();
    await round();
    expect(poller.standing().kind).toBe('watching');
    expect(poller.refusal(idOf(2))?.kind).toBe('bad-request');
    for (let turn = 0; turn < 5; turn++) await round();
    expect(asked.filter((sequence) => sequence === '2').length).toBe(1);
    expect(asked.filter((sequence) => sequence === '1').length).toBe(6);
  });

  it('says that a request is gone only when whoever may have it was asked', async () => {
    const { poller, round, answerWith, seen } = stage(request(1));
    const failure = '{"kind":"failing","service":"logs","detail":""}';
    answerWith(() => ok(`{"rows":[],"uncovered":["main"],"asked":[{"keeper":"main","failure":${failure}}]}`));
    poller.start();
    await round();
    expect(seen).toEqual([]);
    answerWith(() => answer());
    await round();
    expect(seen.map(({ to }) => to)).toEqual(['not in the log']);
  });

  it('asks more seldom while nobody can see the page, and at once when somebody looks', async () => {
    const { poller, round, world } = stage(request(1));
    world.hidden = true;
    poller.start();
    await round();
    expect(await round()).toBe(20_000);
    poller.wake();
    expect(await round()).toBe(0);
  });

  it('looks at incidents all at once, and calls one over only when everything was looked at', async () => {
    const incident: Watched = {
      ...request(1),
      kind: 'incident',
      id: 'main/8453/network',
      state: 'open',
      size: 4,
      notedSize: 4,
    };
    const { poller, round, answerWith, seen } = stage(incident);
    const triage = (state: string) =>
      ok(
        JSON.stringify({
          revision: 1,
          atMs: NOW,
          state,
          index: [],
          clocks: [],
          standing: { kind: 'not-known', why: 'x' },
          counts: {
            pending: 0,
            stuck: 0,
            slow: 0,
            withinNormal: 0,
            incidents: 0,
            singles: 0,
            missing: 0,
            unreadable: 0,
            gone: 0,
          },
          incidents: [],
          singles: [],
          silence: [],
          settings: {
            others: {
              slowAfterS: 60,
              retryBudgetS: 300,
              stuckAfterS: 420,
              backlogBlocks: 1000,
              origin: 'usual',
            },
            networks: {},
          },
        }),
      );
    answerWith(() => triage('stale'));
    poller.start();
    await round();
    expect(poller.standing().kind).toBe('watching');
    await round();
    await round();
    expect(seen).toEqual([]);
    answerWith(() => triage('complete'));
    await round();
    await round();
    expect(seen.map(({ from, to }) => `${from} → ${to}`)).toEqual(['4 pending → over']);
  });

  it('asks nothing after it was stopped', async () => {
    const { poller, round, asked } = stage(request(1));
    poller.start();
    poller.stop();
    expect(await round()).toBeUndefined();
    expect(asked).toEqual([]);
    poller.start();
    expect(await round()).toBe(0);
  });
});
