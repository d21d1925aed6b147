import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBodyBudget } from './body-budget';

/** A budget of 100 bytes, and who gave way, in order. */
function crowd() {
  const budget = createBodyBudget(100);
  const gone: string[] = [];
  return { gone, join: (name: string) => budget.join(() => gone.push(name)) };
}

describe('the bytes of all bodies', () => {
  test('are taken while there is room', () => {
    const { gone, join } = crowd();
    expect([join('a').take(60), join('b').take(40)]).toEqual([true, true]);
    expect(gone).toEqual([]);
  });

  test('make the largest give way, whoever asks', () => {
    const { gone, join } = crowd();
    const [large, small] = [join('large'), join('small')];
    large.take(90);
    expect(small.take(20)).toBe(true);
    expect(gone).toEqual(['large']);
    expect(large.take(1)).toBe(false);
    expect(small.take(80)).toBe(true);
  });

  test('make the one that asks give way when it is the largest', () => {
    const { gone, join } = crowd();
    const [small, large] = [join('small'), join('large')];
    small.take(20);
    expect([large.take(60), large.take(60)]).toEqual([true, false]);
    expect(gone).toEqual(['large']);
    expect(small.take(80)).toBe(true);
  });

  test('leave alone what has come whole, until it is released', () => {
    const { gone, join } = crowd();
    const [whole, next] = [join('whole'), join('next')];
    whole.take(90);
    whole.settle();
    expect(next.take(20)).toBe(false);
    whole.release();
    whole.release();
    expect(join('later').take(100)).toBe(true);
    expect(gone).toEqual(['next']);
  });

  test('are never more than there is room for', () => {
    const step = fc.record({
      body: fc.nat({ max: 5 }),
      act: fc.constantFrom('take', 'take', 'take', 'settle', 'release'),
      bytes: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = createBodyBudget(100);
        const held = new Map<number, number>();
        const shares = [0, 1, 2, 3, 4, 5].map((name) => budget.join(() => held.delete(name)));
        for (const { body, act, bytes } of steps) {
          const share = shares[body];
          if (act === 'settle') share?.settle();
          else if (act === 'release') {
            share?.release();
            held.delete(body);
          } else if (share?.take(bytes)) held.set(body, (held.get(body) ?? 0) + bytes);
          expect([...held.values()].reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(100);
        }
      }),
    );
  });
});
