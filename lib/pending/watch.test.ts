import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WATCH_LIST_FORM, type WatchList, withWatched } from '@/lib/alerts/watch-list';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { KeptValue } from '@/lib/feeds/client/kept-value';
import type { WrittenRequest } from '@/lib/requests/one';
import { OPEN, OVER, type WatchChange, type Watched, WatchPoller, withSightings } from './watch';

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
const one: WrittenRequest = { atMs: NOW, revision: 1, rows: [], uncovered: [], asked: [], index: [] };
const answer = (...rows: string[]) =>
  ok(JSON.stringify({ ...one, rows: rows.map((text) => ({ keeper: 'main', row: text })) }));

beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

/** A poller over a world whose answers the test says. */
function stage(...watched: Watched[]) {
  const world = { isHidden: false, states: new Map<string, string>() };
  const asked: string[] = [];
  const seen: WatchChange[] = [];
  let reply = (sequence: string): Outcome<string> =>
    answer(row(Number(sequence), world.states.get(sequence) ?? 'pending'));
  const list = new KeptValue<WatchList>(WATCH_LIST_FORM, () => undefined);
  for (const one of watched.toReversed()) list.change((kept) => withWatched(kept, one));
  const poller = new WatchPoller(list, {
    ask: async (path) => {
      const sequence = new URL(path, 'http://page').searchParams.get('sequence') ?? path;
      asked.push(sequence);
      return reply(sequence);
    },
    now: Date.now,
    isHidden: () => world.isHidden,
    onChanges: (changes) => seen.push(...changes),
  });
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const answerWith = (next: typeof reply) => {
    reply = next;
  };
  return { world, asked, seen, list, poller, pass, answerWith };
}

describe('what is watched', () => {
  it('is asked about at once, then every five seconds, and a change is told', async () => {
    const { pass, asked, seen, world, list } = stage(request(1));
    await pass(0);
    expect(asked).toHaveLength(1);
    world.states.set('1', 'failed');
    await pass(5_000);
    expect(seen.map(({ from, to }) => `${from} → ${to}`)).toEqual(['pending → failed']);
    expect(list.read().watched[0]).toMatchObject({
      state: 'failed',
      was: { state: 'pending', atMs: NOW + 5_000 },
    });
  });

  it('rests when nothing can change any more, and begins again with the next one', async () => {
    const { pass, poller, list, world, asked } = stage(request(1));
    world.states.set('1', 'completed');
    await pass(60_000);
    expect([poller.standing(), asked]).toEqual([{ kind: 'idle' }, ['1']]);
    list.change((kept) => withWatched(kept, request(2)));
    await pass(0);
    expect(asked).toEqual(['1', '2']);
  });

  it('is asked about seldom where it failed, and while nobody can see the page', async () => {
    const { pass, asked, world } = stage(request(1, 'failed'), request(2));
    world.states.set('1', 'failed');
    await pass(59_000);
    expect(asked.filter((sequence) => sequence === '1')).toHaveLength(1);
    expect(asked.filter((sequence) => sequence === '2')).toHaveLength(12);
    world.isHidden = true;
    await pass(5_000);
    asked.length = 0;
    await pass(59_000);
    expect(asked.filter((sequence) => sequence === '2').length).toBeLessThanOrEqual(3);
  });

  it('waits longer and longer while the service fails, and goes on when it is back', async () => {
    const { pass, poller, answerWith, asked, seen } = stage(request(1), request(2));
    answerWith(() => failed({ kind: 'unreachable', service: 'logs', detail: '' }));
    await pass(0);
    expect([poller.standing().kind, asked.length]).toEqual(['waits', 1]);
    await pass(60_000);
    expect(asked.length).toBeLessThan(6);
    answerWith((sequence) => answer(row(Number(sequence), 'pending')));
    await pass(120_000);
    expect([poller.standing().kind, seen]).toEqual(['watching', []]);
  });

  it('is not held up by one that can’t be asked about', async () => {
    const { pass, poller, answerWith, asked } = stage(request(1), request(2));
    const refused = failed<string>({ kind: 'bad-request', detail: 'No such keeper.' });
    answerWith((sequence) => (sequence === '2' ? refused : answer(row(1, 'pending'))));
    await pass(26_000);
    expect(poller.refusal(idOf(2))?.kind).toBe('bad-request');
    expect(asked.filter((sequence) => sequence === '2')).toHaveLength(1);
    expect(asked.filter((sequence) => sequence === '1')).toHaveLength(6);
  });

  it('is gone only when whoever may have it was asked', async () => {
    const { pass, answerWith, seen } = stage(request(1));
    const failure = { kind: 'failing', service: 'logs', detail: '' };
    answerWith(() =>
      ok(JSON.stringify({ ...one, uncovered: ['main'], asked: [{ keeper: 'main', failure }] })),
    );
    await pass(0);
    expect(seen).toEqual([]);
    answerWith(() => answer());
    await pass(5_000);
    expect(seen.map(({ to }) => to)).toEqual(['not in the log']);
  });

  it('of an incident: when it is over, when it is back, and when it changed by half', () => {
    const incident = { ...request(1), kind: 'incident', state: OPEN, size: 40, notedSize: 40 } as const;
    let list: WatchList = { alerts: [], watched: [incident], sound: 'no', notify: 'no' };
    const told: string[] = [];
    for (const size of [41, 59, 60, 62, 41, 40, 0, 0, 3]) {
      const seen = withSightings(list, [{ id: incident.id, state: size === 0 ? OVER : OPEN, size }], NOW);
      list = seen.list;
      told.push(...seen.changes.map(({ from, to }) => `${from} → ${to}`));
    }
    expect(told).toEqual([
      '40 pending → 60 pending',
      '60 pending → 40 pending',
      '40 pending → over',
      'over → 3 pending',
    ]);
  });
});
