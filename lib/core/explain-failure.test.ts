import { describe, expect, it, test } from 'vitest';
import { canRetryNow, explainFailure, retryDelayMs } from './explain-failure';
import type { Failure } from './outcome';

const failing: Failure = { kind: 'failing', service: 'logs', detail: 'down', upstreamStatus: 503 };

describe('explainFailure', () => {
  it('repeats the detail of our server without its full stop', () => {
    const detail = 'The request log service returned 503.';
    expect(explainFailure({ ...failing, detail }).title).toBe('The request log service returned 503');
  });

  it('quotes the service’s own words for a rejection', () => {
    const quote = 'no such chain';
    const words = explainFailure({ ...failing, kind: 'rejected', detail: quote });
    expect(words).toMatchObject({ title: 'Request log service rejected this request', quote });
  });

  it('names the setting to check when a key is rejected', () => {
    const refused = { kind: 'unauthorized', service: 'router', detail: '', upstreamStatus: 401 } as const;
    const words = explainFailure(refused);
    expect(words).toEqual({ title: 'Price router rejected the API key', nextStep: 'Check ROUTER_API_KEY.' });
  });

  it('names the keeper and its own key where there are several', () => {
    const words = explainFailure({ kind: 'unauthorized', service: 'logs', detail: '' }, 'test-net');
    expect(words.title).toContain('Request log service “test-net”');
    expect(words.nextStep).toContain('LOGS_API_KEY_TEST_NET');
  });

  it('names the dashboard where no service is named', () => {
    expect(explainFailure({ kind: 'unreachable', detail: 'x' }).title).toBe('Dashboard server unreachable');
  });

  it('names the limit of the dashboard that was reached', () => {
    const detail = 'At most 50 streams for each client.';
    expect(explainFailure({ kind: 'too-many', detail }).quote).toBe(detail);
  });

  it('makes invisible characters visible', () => {
    expect(explainFailure({ ...failing, kind: 'rejected', detail: 'a\u202Eb' }).quote).toBe('a⟨202E⟩b');
  });
});

test('a manual retry skips a backoff, but no wait that a service or a key demands', () => {
  const kinds = ['failing', 'unreachable', 'timeout', 'malformed', 'rate-limited', 'unauthorized'] as const;
  const may = (retryAfterS?: number) => kinds.map((kind) => canRetryNow({ ...failing, kind, retryAfterS }));
  expect(may(7)).toEqual([true, true, true, true, false, false]);
  expect(may()).toEqual([true, true, true, true, true, true]);
  expect(canRetryNow({ ...failing, kind: 'rejected' })).toBe(false);
});

describe('retryDelayMs', () => {
  const failureOf = (kind: Failure['kind'], more = {}): Failure => ({
    kind,
    service: 'logs',
    detail: '',
    ...more,
  });
  it.each<[string, Failure, number, number | undefined]>([
    ['waits as long as the service demands', failureOf('rate-limited', { retryAfterS: 30 }), 9, 30_000],
    ...[5, 10, 20, 40, 60, 60].map((gapS, index): [string, Failure, number, number] => {
      return ['doubles its gaps up to a minute', failing, index + 1, gapS * 1000];
    }),
    ['does not retry what only a person can change', failureOf('rejected'), 1, undefined],
    ['tries a rejected key once a minute', failureOf('unauthorized'), 1, 60_000],
  ])('%s', (_, failure, attempt, ms) => expect(retryDelayMs(failure, attempt, 0)).toBe(ms));
});
