import { afterEach, expect, it, vi } from 'vitest';
import { currentRequestId, withinRequest } from './log';

afterEach(() => vi.useRealTimers());

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
