import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Failure } from '@/lib/domain/outcome';
import { ManualTimers } from './manual-timers';
import {
  type CircuitPass,
  type CircuitRefusal,
  createServiceCircuit,
  type ServiceCircuit,
} from './service-circuit';

const DOWN: Failure = {
  kind: 'failing',
  service: 'logs',
  detail: 'It is failing (500).',
  upstreamStatus: 500,
};
const SECOND = 1000;

function start(random = () => 1) {
  const timers = new ManualTimers();
  return { timers, circuit: createServiceCircuit(timers, random) };
}

/** A call that went out; the test fails where it did not. */
function sent(circuit: ServiceCircuit, route = '/logs'): CircuitPass {
  const pass = circuit.enter(route);
  if (!('over' in pass)) throw new Error(`held back for ${pass.waitMs} ms`);
  return pass;
}

/** Makes calls that fail, one after the other. */
function fail(circuit: ServiceCircuit, times: number, failure = DOWN, route = '/logs'): void {
  for (let n = 0; n < times; n += 1) sent(circuit, route).over(failure);
}

const isHeldBack = (circuit: ServiceCircuit, route = '/logs') => !('over' in circuit.enter(route));

describe('a circuit', () => {
  test('opens after five failures of the same sort in a row, and says of what sort and for how long', () => {
    const { circuit } = start();
    fail(circuit, 4);
    expect(circuit.state()).toEqual({ state: 'closed', failures: 4 });
    expect(sent(circuit).over(DOWN)).toBe(SECOND);
    expect(circuit.state()).toMatchObject({ state: 'open', failures: 5, last: DOWN, nextTryInMs: SECOND });
    expect(circuit.enter('/logs')).toEqual({ last: DOWN, waitMs: SECOND, trying: undefined, at: 0 });
  });

  test.each(['unreachable', 'timeout', 'malformed'] as const)('opens for what is %s too', (kind) => {
    const { circuit } = start();
    fail(circuit, 5, { kind, detail: 'It is gone.' });
    expect(isHeldBack(circuit)).toBe(true);
  });

  test.each(['missing', 'rejected', 'unauthorized', 'rate-limited'] as const)(
    'does not open for what is %s: such an answer shows that the service works',
    (kind) => {
      const { circuit } = start();
      fail(circuit, 4);
      fail(circuit, 1, { kind, detail: '' });
      fail(circuit, 4);
      expect(circuit.state()).toEqual({ state: 'closed', failures: 4 });
    },
  );

  test('learns nothing from an answer that was given up here', () => {
    const { circuit, timers } = start();
    const givenUp: Failure = { kind: 'too-many', detail: 'Too large together.' };
    fail(circuit, 4);
    fail(circuit, 1, givenUp);
    expect(circuit.state()).toEqual({ state: 'closed', failures: 4 });
    fail(circuit, 1);
    timers.advance(SECOND);
    expect(sent(circuit).over(givenUp)).toBeGreaterThan(0);
    expect(circuit.state()).toMatchObject({ state: 'open', failures: 5, last: DOWN });
    expect(isHeldBack(circuit)).toBe(true);
  });

  test('forgets failures at a success', () => {
    const { circuit } = start();
    fail(circuit, 4);
    sent(circuit).over(undefined);
    fail(circuit, 4);
    expect(isHeldBack(circuit)).toBe(false);
  });

  test('gives a service that fails each time in another way twenty tries', () => {
    const { circuit } = start();
    const kinds = ['failing', 'unreachable', 'timeout', 'malformed'] as const;
    for (let n = 0; n < 19; n += 1)
      sent(circuit).over({ kind: kinds[n % 4] ?? 'failing', detail: `trouble ${n}` });
    expect(isHeldBack(circuit)).toBe(false);
    fail(circuit, 1);
    expect(isHeldBack(circuit)).toBe(true);
  });

  test('lets one call out when the time is over, and waits twice as long after each that fails, up to a minute', () => {
    const { circuit, timers } = start();
    fail(circuit, 5);
    const waits: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      const state = circuit.state();
      waits.push(state.state === 'open' ? state.nextTryInMs / SECOND : -1);
      timers.advance((waits.at(-1) ?? 0) * SECOND - 1);
      expect(isHeldBack(circuit)).toBe(true);
      timers.advance(1);
      const probe = sent(circuit);
      expect(circuit.state().state).toBe('trying');
      expect(circuit.enter('/logs')).toMatchObject({ trying: 'yes' });
      probe.over(DOWN);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  test('closes at a success, and begins with a short wait the next time', () => {
    const { circuit, timers } = start();
    fail(circuit, 5);
    timers.advance(SECOND);
    fail(circuit, 1);
    timers.advance(2 * SECOND);
    expect(sent(circuit).over(undefined)).toBeUndefined();
    expect(circuit.state()).toEqual({ state: 'closed', failures: 0 });
    fail(circuit, 5);
    expect(circuit.state()).toMatchObject({ state: 'open', nextTryInMs: SECOND });
  });

  test('closes at the success of a call that was under way when it opened, and learns no more from their failures', () => {
    const { circuit } = start();
    const [slow, ...others] = Array.from({ length: 7 }, () => sent(circuit));
    for (const other of others) other.over(DOWN);
    expect(circuit.state()).toMatchObject({ state: 'open', failures: 5 });
    slow?.over(undefined);
    expect(circuit.state()).toEqual({ state: 'closed', failures: 0 });
  });

  test('takes a call of before its opening for nothing after its closing', () => {
    const { circuit, timers } = start();
    const slow = Array.from({ length: 5 }, () => sent(circuit));
    fail(circuit, 5);
    timers.advance(SECOND);
    sent(circuit).over(undefined);
    for (const pass of slow) pass.over(DOWN);
    expect(circuit.state()).toEqual({ state: 'closed', failures: 0 });
  });

  test('lets a route try that has not failed itself: one broken route leaves the others whole', () => {
    const { circuit } = start();
    fail(circuit, 5, DOWN, '/broken');
    expect(isHeldBack(circuit, '/broken')).toBe(true);
    sent(circuit, '/fine').over(undefined);
    expect(circuit.state().state).toBe('closed');
    fail(circuit, 5, DOWN, '/broken');
    fail(circuit, 1, DOWN, '/fine');
    expect(isHeldBack(circuit, '/fine')).toBe(true);
  });

  test('is not stuck when a try never says how it ended', () => {
    const { circuit, timers } = start();
    fail(circuit, 5);
    timers.advance(SECOND);
    const lost = sent(circuit);
    timers.advance(29 * SECOND);
    expect(isHeldBack(circuit)).toBe(true);
    timers.advance(SECOND);
    sent(circuit).over(undefined);
    lost.over(DOWN);
    expect(circuit.state()).toEqual({ state: 'closed', failures: 0 });
  });

  test('waits no longer than a minute and no shorter than three quarters of its wait', () => {
    const half = start(() => 0);
    fail(half.circuit, 5);
    expect(half.circuit.state()).toMatchObject({ nextTryInMs: 750 });
  });

  test('lets one call out at a time, and sends ever fewer, whatever the order of things', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 400 }), (pauses) => {
        const { circuit, timers } = start();
        let calls = 0;
        for (const ms of pauses) {
          const pass = circuit.enter('/logs');
          if ('over' in pass) {
            calls += 1;
            if (circuit.state().state === 'trying') expect('over' in circuit.enter('/logs')).toBe(false);
            pass.over(DOWN);
          }
          timers.advance(ms);
        }
        const spentS = timers.elapsed() / SECOND;
        // Five open it; then 1, 2, 4 … s, at last one a minute.
        expect(calls).toBeLessThanOrEqual(5 + Math.min(6, Math.log2(spentS + 1)) + spentS / 60 + 1);
      }),
    );
  });
});

describe('a press of "Try again"', () => {
  test('lets the next call out at once, but so only every three seconds', () => {
    const { circuit, timers } = start();
    fail(circuit, 5);
    timers.advance(SECOND);
    fail(circuit, 1);
    circuit.tryEarly();
    expect(circuit.state()).toMatchObject({ nextTryInMs: 0 });
    fail(circuit, 1);
    circuit.tryEarly();
    expect(isHeldBack(circuit)).toBe(true);
    timers.advance(3 * SECOND - 1);
    fail(circuit, 1);
    circuit.tryEarly();
    expect(isHeldBack(circuit)).toBe(true);
    timers.advance(1);
    circuit.tryEarly();
    expect(isHeldBack(circuit)).toBe(false);
  });

  test('makes the wait of everybody no longer when it fails', () => {
    const { circuit, timers } = start();
    fail(circuit, 5);
    for (const wait of [1, 2, 4]) {
      timers.advance(wait * SECOND);
      fail(circuit, 1);
    }
    timers.advance(5 * SECOND);
    circuit.tryEarly();
    fail(circuit, 1);
    expect(circuit.state()).toMatchObject({ nextTryInMs: 3 * SECOND });
  });

  test('does nothing while calls go out', () => {
    const { circuit } = start();
    circuit.tryEarly();
    fail(circuit, 5);
    expect(isHeldBack(circuit)).toBe(true);
  });
});

describe('calls that come during a try or shortly before it', () => {
  const settled = async (promise: Promise<void> | undefined) => {
    let is = false;
    void promise?.then(() => {
      is = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    return is;
  };
  const refused = (circuit: ServiceCircuit): CircuitRefusal => {
    const refusal = circuit.enter('/logs');
    if ('over' in refusal) throw new Error('let out');
    return refusal;
  };
  const longOpen = () => {
    const { circuit, timers } = start();
    fail(circuit, 5);
    for (const wait of [1, 2]) {
      timers.advance(wait * SECOND);
      fail(circuit, 1);
    }
    return { circuit, timers };
  };

  test('wait until it is due, three seconds at most, then for its end, eight in all; no alarm is left behind', async () => {
    const { circuit, timers } = longOpen();
    const early = refused(circuit);
    expect(circuit.soon(early)).toBeUndefined();
    expect(circuit.refusal('/logs')).toEqual(early);
    timers.advance(2 * SECOND);
    const first = refused(circuit);
    expect(circuit.refusal('/logs')).toBeUndefined();
    const due = circuit.soon(first);
    timers.advance(2 * SECOND);
    expect(await settled(due)).toBe(true);
    const probe = sent(circuit);
    const [mine, others] = [circuit.soon(first), circuit.soon(refused(circuit))];
    timers.advance(6 * SECOND);
    expect([await settled(mine), await settled(others)]).toEqual([true, false]);
    expect(circuit.soon(first)).toBeUndefined();
    probe.over(undefined);
    expect(await settled(others)).toBe(true);
    expect(timers.pending).toBe(0);
  });

  test('are a hundred at most', () => {
    const { circuit } = start();
    fail(circuit, 5);
    const waiting = Array.from({ length: 101 }, () => circuit.soon(refused(circuit)));
    expect(waiting.filter((one) => one !== undefined)).toHaveLength(100);
  });
});
