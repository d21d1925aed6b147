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
