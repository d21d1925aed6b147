import { describe, expect, it } from 'vitest';
import { problemOf, readProblem } from './problem';

describe('readProblem', () => {
  it('reads back every problem of ours', () => {
    const sent = problemOf({
      kind: 'rate-limited',
      service: 'updates',
      detail: 'Wait a little.',
      retryAfterS: 12,
    });
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
  ])('names %j an unreadable answer, without repeating it', (text) => {
    const read = readProblem(text, 502);
    expect(read).toMatchObject({
      type: 'about:blank',
      kind: 'malformed',
      status: 502,
      title: 'Unreadable answer',
    });
    expect(read.detail).toContain('HTTP 502');
    expect(read.detail).not.toContain('<');
    expect('service' in read).toBe(false);
  });

  it('drops members of a wrong type', () => {
    const text =
      '{"kind":"timeout","detail":"Slow.","title":7,"status":"504","service":"x","retryAfterS":"1"}';
    expect(readProblem(text)).toEqual({
      type: 'about:blank',
      title: 'The service did not answer in time',
      status: 504,
      kind: 'timeout',
      detail: 'Slow.',
    });
  });
});
