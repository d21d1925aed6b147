import { describe, expect, it } from 'vitest';
import type { WatchList } from '@/lib/alerts/watch-list';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import type { WrittenRequest } from '@/lib/requests/one';
import { OPEN, OVER, type Watched, type Watching, watchRound, withSightings } from './watch';

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

/** Rounds over a world whose answers the test says. */
function stage(...watched: Watched[]) {
  const world = {
    nowMs: NOW,
    states: new Map<string, string>(),
    reply: (sequence: string): Outcome<string> =>
      answer(row(Number(sequence), world.states.get(sequence) ?? 'pending')),
  };
  let list: WatchList = { alerts: [], watched, sound: 'no', notify: 'no' };
  let last: Watching | undefined;
  const told: string[] = [];
  /** Asks a round so many ms later; gives the sequences that were asked about. */
  const round = async (laterMs = 0) => {
    world.nowMs += laterMs;
    const asked: string[] = [];
    last = await watchRound(list, last, {
      ask: async (path) => {
        const sequence = new URL(path, 'http://page').searchParams.get('sequence') ?? path;
        asked.push(sequence);
        return world.reply(sequence);
      },
      nowMs: world.nowMs,
      keep: (sightings) => {
        const seen = withSightings(list, sightings, world.nowMs);
        list = seen.list;
        told.push(...seen.changes.map(({ from, to }) => `${from} → ${to}`));
      },
    });
    return { asked, last, list };
  };
  return { world, round, told };
}

describe('what is watched', () => {
  it('is asked about at once, then every five seconds, and a change is told', async () => {
    const { round, world, told } = stage(request(1), request(2, 'failed'), request(3, 'completed'));
    world.states.set('2', 'failed');
    expect((await round()).asked).toEqual(['1', '2']);
    world.states.set('1', 'failed');
    const { asked, list } = await round(5_000);
    expect([asked, told]).toEqual([['1'], ['pending → failed']]);
    expect(list.watched[0]).toMatchObject({ state: 'failed', was: { state: 'pending', atMs: NOW + 5_000 } });
    expect((await round(54_000)).asked).toEqual([]);
    expect((await round(1_000)).asked).toEqual(['2']);
  });

  it('waits longer and longer while the service fails, and goes on when it is back', async () => {
    const { round, world, told } = stage(request(1), request(2));
    const { reply } = world;
    world.reply = () => failed({ kind: 'unreachable', service: 'logs', detail: '' });
    const waitMs = async () => (await round(1_000)).last.trouble?.againAtMs ?? 0;
    const first = (await waitMs()) - world.nowMs;
    expect((await waitMs()) - world.nowMs).toBeGreaterThan(first);
    world.reply = reply;
    const { asked, last } = await round();
    expect([asked.toSorted(), last.trouble, told]).toEqual([['1', '2'], undefined, []]);
  });

  it('is not held up by one that can’t be asked about', async () => {
    const { round, world } = stage(request(1), request(2));
    const { reply } = world;
    const refused = failed<string>({ kind: 'bad-request', detail: 'No such keeper.' });
    world.reply = (sequence) => (sequence === '1' ? refused : reply(sequence));
    const { asked, last } = await round();
    expect([asked, last.refused.get(idOf(1))?.kind]).toEqual([['1', '2'], 'bad-request']);
    expect((await round(5_000)).asked).toEqual(['2']);
  });

  it('is gone only when whoever may have it was asked', async () => {
    const { round, world, told } = stage(request(1));
    const failure = { kind: 'failing', service: 'logs', detail: '' };
    world.reply = () =>
      ok(JSON.stringify({ ...one, uncovered: ['main'], asked: [{ keeper: 'main', failure }] }));
    await round();
    expect(told).toEqual([]);
    world.reply = () => answer();
    await round(5_000);
    expect(told).toEqual(['pending → not in the log']);
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
