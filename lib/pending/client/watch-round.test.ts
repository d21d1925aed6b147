import { describe, expect, it } from 'vitest';
import { AnswerFailed } from '@/lib/core/gateway';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import type { WrittenRequest } from '@/lib/requests/requests-response';
import type { Watched, WatchList } from '@/lib/watches/client/watch-list';
import { watchRound, withObservations } from './watch-round';
import { OPEN, OVER } from './watched-states';

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
const response: WrittenRequest = { atMs: NOW, revision: 1, rows: [], uncovered: [], queried: [], index: [] };
const answer = (...rows: string[]) =>
  ok(JSON.stringify({ ...response, rows: rows.map((text) => ({ keeper: 'main', row: text })) }));

function stage(...watched: Watched[]) {
  const world = {
    states: new Map<string, string>(),
    reply: (sequence: string): Outcome<string> =>
      answer(row(Number(sequence), world.states.get(sequence) ?? 'pending')),
  };
  let list: WatchList = { alerts: [], watched, sound: 'no', notify: 'no' };
  let turn = 0;
  const round = async () => {
    const requested: string[] = [];
    const { observations, refused } = await watchRound(list.watched, turn++, async (path) => {
      const sequence = new URL(path, 'http://page').searchParams.get('sequence') ?? path;
      requested.push(sequence);
      return world.reply(sequence);
    });
    const seen = withObservations(list, observations, NOW);
    list = seen.list;
    return { requested, changed: seen.changes.map(({ from, to }) => `${from} → ${to}`), refused, list };
  };
  return { world, round };
}

describe('a watched item', () => {
  it('is requested while it may change, and a change is reported', async () => {
    const { round, world } = stage(request(1), request(2, 'failed'), request(3, 'completed'));
    world.states.set('2', 'failed');
    expect(await round()).toMatchObject({ requested: ['1', '2'], changed: [] });
    world.states.set('1', 'completed');
    const { changed, list } = await round();
    expect(changed).toEqual(['pending → completed']);
    expect(list.watched[0]).toMatchObject({ state: 'completed', was: { state: 'pending', atMs: NOW } });
    expect((await round()).requested).toEqual(['2']);
  });

  it('is requested in turn, however many there are', async () => {
    const { round } = stage(...Array.from({ length: 25 }, (_, index) => request(index + 1)));
    const requested = [await round(), await round(), await round()].flatMap((answer) => answer.requested);
    expect(requested).toHaveLength(30);
    expect(new Set(requested).size).toBe(25);
  });

  it('is retried if waiting may help, and is not blocked by a refused one', async () => {
    const { round, world } = stage(request(1), request(2));
    const { reply } = world;
    world.reply = () => failed({ kind: 'unreachable', service: 'logs', detail: '' });
    await expect(round()).rejects.toThrow(AnswerFailed);
    const refused = failed<string>({ kind: 'bad-request', detail: 'No such keeper.' });
    world.reply = (sequence) => (sequence === '1' ? refused : reply(sequence));
    const { requested, refused: odd } = await round();
    expect([requested, odd.get(idOf(1))?.kind]).toEqual([['1', '2'], 'bad-request']);
  });

  it('is gone only after all services that may have it were queried', async () => {
    const { round, world } = stage(request(1));
    const failure = { kind: 'failing', service: 'logs', detail: '' };
    world.reply = () =>
      ok(JSON.stringify({ ...response, uncovered: ['main'], queried: [{ keeper: 'main', failure }] }));
    expect((await round()).changed).toEqual([]);
    world.reply = () => answer();
    expect((await round()).changed).toEqual(['pending → not in the log']);
  });

  it('that is an incident reports its end, its return, and a change by half', () => {
    const incident = { ...request(1), kind: 'incident', state: OPEN, size: 40, notedSize: 40 } as const;
    let list: WatchList = { alerts: [], watched: [incident], sound: 'no', notify: 'no' };
    const notices: string[] = [];
    for (const size of [41, 59, 60, 62, 41, 40, 0, 0, 3]) {
      const seen = withObservations(list, [{ id: incident.id, state: size === 0 ? OVER : OPEN, size }], NOW);
      list = seen.list;
      notices.push(...seen.changes.map(({ from, to }) => `${from} → ${to}`));
    }
    expect(notices).toEqual([
      '40 stuck → 60 stuck',
      '60 stuck → 40 stuck',
      '40 stuck → over',
      'over → 3 stuck',
    ]);
  });
});
