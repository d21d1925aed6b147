import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inspectText } from '@/lib/domain/payload/inspect';
import { type CheckEdges, PayloadChecks } from './payload-checks';

const text = readFileSync(new URL('../../data/vectors/update-btc-1690576635.b64', import.meta.url), 'utf8');

function vectorUpdate() {
  const [payload] = inspectText(text).payloads;
  if (payload?.kind !== 'update') throw new Error('no update');
  return payload.update;
}

/** A clock that moves by 5 ms with every look, and a browser whose turn ends when the test says so. */
function edges(): CheckEdges & { turn: () => Promise<void> } {
  let nowMs = 0;
  const waiting: (() => void)[] = [];
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    nowMs: () => {
      nowMs += 5;
      return nowMs;
    },
    pause: () => new Promise((resolve) => waiting.push(resolve)),
    turn: async () => {
      for (const resolve of waiting.splice(0)) resolve();
      await settled();
    },
  };
}

describe('verifying in slices', () => {
  it('lets the browser have its turn after a slice, and tells how far it is', async () => {
    const clock = edges();
    const checks = new PayloadChecks([vectorUpdate(), vectorUpdate()], clock);
    const seen: number[] = [];
    checks.subscribe(() => seen.push(checks.standing().done));
    expect(checks.standing()).toMatchObject({ done: 0, total: 28 });
    for (let turns = 0; turns < 40; turns++) await clock.turn();
    // Two looks at the clock make a slice: two steps.
    expect(seen[0]).toBe(2);
    expect(seen.at(-1)).toBe(28);
    expect(checks.standing().checks.map((check) => check?.generation.generation)).toEqual([
      'before-upgrade',
      'before-upgrade',
    ]);
  });

  it('stops when nobody looks any more, and goes on where it was', async () => {
    const clock = edges();
    const checks = new PayloadChecks([vectorUpdate()], clock);
    const leave = checks.subscribe(() => {});
    for (let turns = 0; turns < 3; turns++) await clock.turn();
    leave();
    for (let turns = 0; turns < 5; turns++) await clock.turn();
    const { done } = checks.standing();
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(14);
    checks.subscribe(() => {});
    for (let turns = 0; turns < 20; turns++) await clock.turn();
    expect(checks.standing()).toMatchObject({ done: 14, total: 14 });
    expect(checks.standing().checks[0]).toBeDefined();
  });

  it('has nothing to do without updates', async () => {
    const clock = edges();
    const checks = new PayloadChecks([], clock);
    checks.subscribe(() => {
      throw new Error('nothing happened');
    });
    await clock.turn();
    expect(checks.standing()).toEqual({ done: 0, total: 0, checks: [] });
  });
});
