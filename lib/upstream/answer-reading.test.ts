import { expect, test } from 'vitest';
import { failed, ok } from '@/lib/domain/outcome';
import { answerReader, watchedTextOf } from './answer-reading';
import { ManualTimers } from './manual-timers';
import { serviceStarter } from './service-fixture';

const starting = serviceStarter();
const answer = (text: string) => ok({ status: 200, contentType: 'application/json', text });

test('an answer is read once for all who share it, and its surprises are noted once', async () => {
  const { http } = await starting(() => {});
  let read = 0;
  const reader = answerReader(
    http,
    (text) => {
      read += 1;
      return ok(text);
    },
    () => [{ kind: 'extra-member', name: 'mood', example: '7' }],
  );
  const shared = answer('{}');
  expect([reader(shared), reader(shared)]).toEqual([ok('{}'), ok('{}')]);
  expect(read).toBe(1);
  expect(http.surprises.read().surprises).toMatchObject([{ name: 'mood', count: 1 }]);
});

test('a text that is only passed on is looked at once a second, and comes out as it is', () => {
  const timers = new ManualTimers();
  const seen: unknown[] = [];
  const text = watchedTextOf((read) => {
    seen.push(read);
    return failed({ kind: 'malformed', detail: 'not ours to say' });
  }, timers);
  expect(text(answer('one'))).toEqual(ok('one'));
  expect(text(answer('two'))).toEqual(ok('two'));
  expect(seen).toHaveLength(1);
  timers.advance(1000);
  text(answer('three'));
  expect(seen).toHaveLength(2);
});
