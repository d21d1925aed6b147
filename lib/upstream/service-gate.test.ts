import { expect, it } from 'vitest';
import { type CallKey, createServiceGate } from './call-admission';
import { ManualTimers } from './service-fixture';

const call = (): CallKey => ({ key: 'sandbox-key', use: 'needed' });

it('a good answer to a call that went out before the key was rejected opens nothing', () => {
  const timers = new ManualTimers();
  const gate = createServiceGate(timers);
  const [before, rejected] = [call(), call()];
  gate.admit(before);
  gate.admit(rejected);
  gate.keyRejected(rejected, 401);
  gate.keyAccepted(before);
  expect(gate.refusal(call())).toMatchObject({ kind: 'unauthorized', retryAfterS: 60 });
});

it('a good answer to the one try a minute opens it for all', () => {
  const timers = new ManualTimers();
  const gate = createServiceGate(timers);
  const first = call();
  gate.admit(first);
  gate.keyRejected(first, 401);
  timers.advance(60_000);
  const probe = call();
  expect(gate.admit(probe)).toBeUndefined();
  expect(gate.admit(call())).toMatchObject({ kind: 'unauthorized' });
  gate.keyAccepted(probe);
  expect(gate.admit(call())).toBeUndefined();
});
