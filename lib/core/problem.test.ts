import { describe, expect, it } from 'vitest';
import { failureProblem, problemDetails, readProblem } from './problem';

describe('problemOf', () => {
  it('answers with the status of the kind, never with the status of the service', () => {
    expect(
      failureProblem({
        kind: 'unauthorized',
        service: 'router',
        detail: 'Key rejected.',
        upstreamStatus: 403,
      }),
    ).toEqual({
      type: 'about:blank',
      title: 'API key rejected by the service',
      status: 502,
      kind: 'unauthorized',
      service: 'router',
      detail: 'Key rejected.',
    });
  });

  it('passes on the wait', () => {
    const failure = { kind: 'rate-limited', service: 'logs', detail: 'Wait.', retryAfterS: 7 } as const;
    expect(failureProblem(failure)).toMatchObject({ status: 503, retryAfterS: 7 });
  });

  it('names no service where none is at fault', () => {
    expect('service' in failureProblem({ kind: 'too-many', detail: 'Slow down.' })).toBe(false);
    expect('service' in problemDetails('misdirected', 'Not here.')).toBe(false);
  });
});

it('kinds have the statuses that client programs rely on', () => {
  const statuses = {
    'bad-request': 400,
    'not-signed-in': 401,
    forbidden: 403,
    'no-such-route': 404,
    method: 405,
    misdirected: 421,
    starting: 503,
    'too-many': 429,
    unconfigured: 503,
    rejected: 400,
    missing: 404,
    unauthorized: 502,
    'rate-limited': 503,
    failing: 502,
    unreachable: 502,
    timeout: 504,
    malformed: 502,
  } as const;
  const kinds = Object.keys(statuses) as (keyof typeof statuses)[];
  expect(Object.fromEntries(kinds.map((kind) => [kind, problemDetails(kind, '').status]))).toEqual(statuses);
});

describe('readProblem', () => {
  it('reads back every problem of ours', () => {
    const failure = { kind: 'rate-limited', service: 'updates', detail: 'Wait a little.' } as const;
    const sent = failureProblem({ ...failure, retryAfterS: 12 });
    expect(readProblem(JSON.stringify(sent), 503)).toEqual(sent);
  });

  it.each([
    '',
    '<html><script>alert(1)</script></html>',
    'null',
    '[]',
    '7',
    '{}',
    '{"kind":"surprise","detail":"x"}',
    '{"kind":"toString","detail":"x"}',
    '{"kind":"timeout"}',
    '{"kind":"timeout","detail":{}}',
  ])('calls %j unreadable, without repeating it', (text) => {
    const read = readProblem(text, 502);
    const unreadable = { kind: 'malformed', status: 502, title: 'Unreadable answer' };
    expect(read).toMatchObject({ type: 'about:blank', ...unreadable });
    expect(read.detail).toContain('HTTP 502');
    expect(read.detail).not.toContain('<');
    expect('service' in read).toBe(false);
  });

  it('drops members of a wrong type', () => {
    const text =
      '{"kind":"timeout","detail":"Slow.","title":7,"status":"504","service":"x","retryAfterS":"1"}';
    expect(readProblem(text)).toEqual({
      type: 'about:blank',
      title: 'The service timed out',
      status: 504,
      kind: 'timeout',
      detail: 'Slow.',
    });
  });
});
