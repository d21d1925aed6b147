import { expect, test } from 'vitest';
import { ok } from '@/lib/core/outcome';
import { answerReader } from './json-body';
import { serviceStarter } from './service-fixture';

const starting = serviceStarter();
const answer = (text: string) => ok({ status: 200, contentType: 'application/json', text });

test('an answer is read once for all who share it', async () => {
  const { http } = await starting(() => {});
  let read = 0;
  const reader = answerReader(http, (text) => {
    read += 1;
    return ok(text);
  });
  const shared = answer('{}');
  expect([reader(shared), reader(shared)]).toEqual([ok('{}'), ok('{}')]);
  expect(read).toBe(1);
});
