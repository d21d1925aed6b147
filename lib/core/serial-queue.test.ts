import { expect, test } from 'vitest';
import { SerialQueue } from './serial-queue';

test('work runs one piece at a time, in order, and a failure reaches only its caller', async () => {
  const queue = new SerialQueue();
  const events: string[] = [];
  const piece = (name: string) => async () => {
    events.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    events.push(`${name} ends`);
    return name;
  };
  const first = queue.run(piece('first'));
  const failing = queue.run(() => {
    throw new Error('broken');
  });
  const last = queue.run(piece('last'));
  await expect(failing).rejects.toThrow('broken');
  await queue.idle;
  expect(events).toEqual(['first begins', 'first ends', 'last begins', 'last ends']);
  expect(await Promise.all([first, last])).toEqual(['first', 'last']);
});

test('the queue is idle although its last piece failed', async () => {
  const queue = new SerialQueue();
  const failing = queue.run(() => Promise.reject(new Error('broken')));
  await queue.idle;
  await expect(failing).rejects.toThrow('broken');
});
