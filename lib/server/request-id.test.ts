import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { currentRequestId, identify, REQUEST_ID_HEADER, withinRequest } from './log';

afterEach(() => vi.useRealTimers());

function begin(given: string | undefined): { id: string; seen: unknown; sent: unknown } {
  const headers: Record<string, string> = given === undefined ? {} : { [REQUEST_ID_HEADER]: given };
  const sent: Record<string, string> = {};
  const response = { setHeader: (name: string, value: string) => (sent[name] = value) };
  const id = identify({ headers } as unknown as IncomingMessage, response as unknown as ServerResponse);
  return { id, seen: headers[REQUEST_ID_HEADER], sent: sent[REQUEST_ID_HEADER] };
}

it('keeps a well-formed id of the caller, on the request and on its answer', () => {
  for (const id of ['a', '4bf92f3577b34da6a3ce929d0e0e4736', 'Root.1-2_3', 'x'.repeat(64)]) {
    expect(begin(id)).toEqual({ id, seen: id, sent: id });
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
    const { id, seen, sent } = begin(given);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect([seen, sent]).toEqual([id, id]);
    made.add(id);
  }
  expect(made.size).toBe(hostile.length + 1);
});

it('knows in everything that follows which request it is for, and of requests side by side which one', async () => {
  const found = await Promise.all(
    ['one', 'two'].map((id) =>
      withinRequest(id, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return currentRequestId();
      }),
    ),
  );
  expect(found).toEqual(['one', 'two']);
  expect(currentRequestId()).toBeUndefined();
});

it('forgets a request a minute after it began: what still runs then is done for nobody in particular', () => {
  vi.useFakeTimers();
  withinRequest('one', () => {
    vi.advanceTimersByTime(59_000);
    expect(currentRequestId()).toBe('one');
    vi.advanceTimersByTime(2000);
    expect(currentRequestId()).toBeUndefined();
  });
});
