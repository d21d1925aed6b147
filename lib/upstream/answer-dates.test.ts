import { describe, expect, test } from 'vitest';
import { type AnswerClock, AnswerDates } from './call-record';
import { callNumber, sendError, sendJson, serviceStarter } from './service-fixture';

const NOW = Date.UTC(2026, 10, 20, 8, 0, 0);
const MINUTE = 60_000;
const httpDate = (ms: number) => new Date(ms).toUTCString();

/** The clock after answers that arrived at `NOW`, each 0.1 s after its call, with dates at these offsets from `NOW`. */
function clockAfter(...offsetsMs: number[]): AnswerClock | undefined {
  const dates = new AnswerDates(() => NOW);
  for (const offset of offsetsMs) dates.recordAnswer({ date: httpDate(NOW + offset) }, 100);
  return dates.clock();
}

describe('the clock of a host by the dates of its answers', () => {
  test('is ahead by at least the time from the end of the call to the date', () => {
    const ahead = { offByMs: 10 * MINUTE, datedMs: NOW + 10 * MINUTE, atMs: NOW, answers: 1 };
    expect(clockAfter(10 * MINUTE)).toEqual(ahead);
  });

  test('is behind by at least the time from the end of the date’s second to the start of the call', () => {
    expect(clockAfter(-10 * MINUTE)?.offByMs).toBe(-10 * MINUTE + 1000 + 100);
  });

  test('is not proved wrong while the date lies within the call', () => {
    expect(clockAfter(0)?.offByMs).toBe(0);
    expect(clockAfter(-1000)?.offByMs).toBe(0);
    const slow = new AnswerDates(() => NOW);
    slow.recordAnswer({ date: httpDate(NOW - 12_000) }, 12_000);
    expect(slow.clock()?.offByMs).toBe(0);
  });

  test('is taken from the least skewed of the last three answers', () => {
    expect(clockAfter(-9 * MINUTE, 0, -9 * MINUTE)).toMatchObject({ offByMs: 0, answers: 3 });
    expect(clockAfter(0, -9 * MINUTE, -3 * MINUTE, -5 * MINUTE)).toMatchObject({
      datedMs: NOW - 3 * MINUTE,
      answers: 3,
    });
  });

  test('is unknown without a date, or with one in another form', () => {
    const dates = new AnswerDates(() => NOW);
    const all = [
      undefined,
      '',
      'now',
      'Invalid Date',
      '2026-11-20T08:00:00Z',
      'Sat, 20 Nov 2026 08:00:00 GMT',
      '5-1',
    ];
    for (const date of all) dates.recordAnswer({ date }, 100);
    dates.recordAnswer({ date: ['Fri, 20 Nov 2026 08:00:00 GMT', 'x'] as unknown as string }, 100);
    expect(dates.clock()).toBeUndefined();
  });

  test('is not taken from a cached answer', () => {
    const date = httpDate(NOW - MINUTE);
    const clockOf = (age?: string) => {
      const dates = new AnswerDates(() => NOW);
      dates.recordAnswer({ date, age }, 100);
      return dates.clock()?.datedMs;
    };
    expect([clockOf('60'), clockOf('old')]).toEqual([undefined, undefined]);
    expect([clockOf('0'), clockOf()]).toEqual([NOW - MINUTE, NOW - MINUTE]);
  });
});

describe('a host over HTTP', () => {
  const starting = serviceStarter();
  const dated = (minutes: number) => ({ date: httpDate(Date.now() + minutes * MINUTE) });

  test.each([
    ['ahead', 10],
    ['behind', -10],
  ])('whose clock is ten minutes %s reports the difference', async (_, minutes) => {
    const { http } = await starting((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...dated(minutes) }).end('[]');
    });
    expect(http.status().clock).toBeUndefined();
    await http.call(callNumber(1));
    expect(Math.abs((http.status().clock?.offByMs ?? 0) - minutes * MINUTE)).toBeLessThan(20_000);
  });

  test('is not judged by an error, which may come from a proxy', async () => {
    const { http } = await starting((_, response, n) => {
      if (n === 1) sendError(response, 404, 'no', dated(-10));
      else sendJson(response, '[]');
    });
    await http.call(callNumber(1));
    expect(http.status().clock).toBeUndefined();
    await http.call(callNumber(2));
    expect(http.status().clock).toMatchObject({ offByMs: 0, answers: 1 });
  });
});
