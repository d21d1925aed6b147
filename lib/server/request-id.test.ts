import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import {
  beginRequest,
  currentRequestId,
  endRequest,
  REQUEST_ID_HEADER,
  type RequestScope,
  withinRequest,
} from './request-id';

afterEach(() => vi.useRealTimers());

function begin(given: string | undefined): { scope: RequestScope; seen: unknown; sent: unknown } {
  const headers: Record<string, string> = given === undefined ? {} : { [REQUEST_ID_HEADER]: given };
  const sent: Record<string, string> = {};
  const response = { setHeader: (name: string, value: string) => (sent[name] = value) };
  const scope = beginRequest(
    { headers } as unknown as IncomingMessage,
    response as unknown as ServerResponse,
  );
  return { scope, seen: headers[REQUEST_ID_HEADER], sent: sent[REQUEST_ID_HEADER] };
}

it('keeps a well-formed id of the caller, on the request and on its answer', () => {
  for (const id of ['a', '4bf92f3577b34da6a3ce929d0e0e4736', 'Root.1-2_3', 'x'.repeat(64)]) {
    expect(begin(id)).toEqual({ scope: { id }, seen: id, sent: id });
  }
});

it('makes one where the caller sent none, or anything else', () => {
  const made = new Set<string>();
  const hostile = [
    '',
    ' ',
    'a b',
    'a,b',
    'x'.repeat(65),
    'é',
    '\u2028',
    '<script>',
    '"',
    '../..',
    'a\u001b[2J',
  ];
  for (const given of [undefined, ...hostile]) {
    const { scope, seen, sent } = begin(given);
    expect(scope.id).toMatch(/^[0-9a-f-]{36}$/);
    expect([seen, sent]).toEqual([scope.id, scope.id]);
    made.add(scope.id);
  }
  expect(made.size).toBe(hostile.length + 1);
});

it('knows in everything that follows which request it is for, and of requests side by side which one', async () => {
  const found = await Promise.all(
    ['one', 'two'].map((id) =>
      withinRequest({ id }, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return currentRequestId();
      }),
    ),
  );
  expect(found).toEqual(['one', 'two']);
  expect(currentRequestId()).toBeUndefined();
});

it('forgets a request once the last call that was made for it must be over', () => {
  vi.useFakeTimers();
  const scope = { id: 'one' };
  withinRequest(scope, () => {
    vi.advanceTimersByTime(3_600_000);
    expect(currentRequestId()).toBe('one');
    endRequest(scope);
    vi.advanceTimersByTime(15_000);
    expect(currentRequestId()).toBe('one');
    endRequest(scope);
    vi.advanceTimersByTime(6_000);
    expect(currentRequestId()).toBeUndefined();
  });
});
