import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ANNOUNCE_PAUSE_MS, Announcer } from './announcer';

/** An announcer on fake timers, and all that it said so far. */
function listenedTo() {
  const announcer = new Announcer({ now: Date.now, setTimer: setTimeout });
  const said: string[] = [];
  announcer.subscribe(() => said.push(announcer.current().text));
  return { say: announcer.say, said, announcer };
}

describe('Announcer', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('says the first message at once', () => {
    const { say, said } = listenedTo();
    say('5 rows');
    expect(said).toEqual(['5 rows']);
  });

  it('says only the latest of what comes within the pause, and that when it is over', () => {
    const { say, said } = listenedTo();
    for (const text of ['1 row', '2 rows', '3 rows']) say(text);
    vi.advanceTimersByTime(ANNOUNCE_PAUSE_MS - 1);
    expect(said).toEqual(['1 row']);
    vi.advanceTimersByTime(1);
    expect(said).toEqual(['1 row', '3 rows']);
  });

  it('never says two messages within the pause, however many come', () => {
    const { announcer, say } = listenedTo();
    const times: number[] = [];
    announcer.subscribe(() => times.push(Date.now()));
    for (let turn = 0; turn < 200; turn++) {
      say(`message ${turn}`);
      vi.advanceTimersByTime(137);
    }
    vi.advanceTimersByTime(ANNOUNCE_PAUSE_MS);
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(ANNOUNCE_PAUSE_MS);
    expect(announcer.current().text).toBe('message 199');
  });

  it('says the same message again as a new one', () => {
    const { announcer, say } = listenedTo();
    say('Nothing new');
    vi.advanceTimersByTime(ANNOUNCE_PAUSE_MS);
    say('Nothing new');
    expect(announcer.current()).toEqual({ text: 'Nothing new', turn: 2 });
  });
});
