import { describe, expect, it, test } from 'vitest';
import { explainFailure, mayAskNow, nextAttemptMs } from './explain-failure';
import type { Failure } from './outcome';

const failing: Failure = { kind: 'failing', service: 'logs', detail: 'down', upstreamStatus: 503 };

describe('explainFailure', () => {
  it('says what our server says, without its full stop', () => {
    const detail = 'The request log service returned 503.';
    expect(explainFailure({ ...failing, detail }).title).toBe('The request log service returned 503');
  });

  it('quotes a service that refuses, so that nobody takes its words for ours', () => {
    expect(explainFailure({ ...failing, kind: 'rejected', detail: 'no such chain' })).toMatchObject({
      title: 'Request log service rejected this request',
      said: 'no such chain',
    });
  });

  it('names the setting to check when a key is rejected', () => {
    const words = explainFailure({
      kind: 'unauthorized',
      service: 'router',
      detail: '',
      upstreamStatus: 401,
    });
    expect(words).toEqual({ title: 'Price router rejected the API key', todo: 'Check ROUTER_API_KEY.' });
  });

  it('names the keeper and its own key where there are several', () => {
    const words = explainFailure({ kind: 'unauthorized', service: 'logs', detail: '' }, 'test');
    expect(words.title).toContain('Request log service “test”');
    expect(words.todo).toContain('LOGS_API_KEY_TEST');
  });

  it('blames this dashboard when no service is named', () => {
    expect(explainFailure({ kind: 'unreachable', detail: 'x' }).title).toBe('Dashboard server unreachable');
  });

  it('spells out what a hostile text hides', () => {
    expect(explainFailure({ ...failing, kind: 'rejected', detail: 'a\u202Eb' }).said).toBe('a⟨202E⟩b');
  });
});

test('a press of a button shortens the wait after failures, and none that a service or a key demands', () => {
  const kinds = ['failing', 'unreachable', 'timeout', 'malformed', 'rate-limited', 'unauthorized'] as const;
  const may = (retryAfterS?: number) => kinds.map((kind) => mayAskNow({ ...failing, kind, retryAfterS }));
  expect(may(7)).toEqual([true, true, true, true, false, false]);
  expect(may()).toEqual([true, true, true, true, true, true]);
  expect(mayAskNow({ ...failing, kind: 'rejected' })).toBe(false);
});

describe('nextAttemptMs', () => {
  it('waits as long as the service demands', () => {
    const limited: Failure = { kind: 'rate-limited', service: 'logs', detail: '', retryAfterS: 30 };
    expect(nextAttemptMs(limited, 9, 0)).toBe(30_000);
  });

  it('doubles its gaps up to a minute', () => {
    expect([1, 2, 3, 4, 5, 50].map((attempt) => nextAttemptMs(failing, attempt, 0))).toEqual([
      5_000, 10_000, 20_000, 40_000, 60_000, 60_000,
    ]);
  });

  it('does not retry what only a person can change', () => {
    expect(nextAttemptMs({ kind: 'rejected', service: 'logs', detail: '' }, 1, 0)).toBeUndefined();
  });

  it('tries a rejected key once a minute', () => {
    expect(nextAttemptMs({ kind: 'unauthorized', service: 'logs', detail: '' }, 1, 0)).toBe(60_000);
  });
});
