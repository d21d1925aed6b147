import { afterEach, expect, test, vi } from 'vitest';
import { askAgain } from './ask-again';

afterEach(() => vi.unstubAllGlobals());

test.each([
  ['answers', () => Promise.resolve(new Response())],
  ['does not answer', () => Promise.reject(new TypeError('no connection'))],
])('when our server %s the question is asked, once and after that', async (_, answer) => {
  const told: string[] = [];
  vi.stubGlobal('fetch', (path: string, { method }: RequestInit) => {
    told.push(`${method} ${path}`);
    return answer();
  });
  await new Promise<void>((resolve) =>
    askAgain(() => {
      told.push('asked');
      resolve();
    }),
  );
  expect(told).toEqual(['POST /api/view/services/try', 'asked']);
});
