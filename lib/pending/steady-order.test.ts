import { describe, expect, it } from 'vitest';
import { steadyOrder } from './steady-order';

const item = (id: string, severity: 'notice' | 'warning' | 'critical' = 'warning') => ({ id, severity });
const ids = (items: { id: string }[]) => items.map(({ id }) => id);

describe('an order that does not move under the eyes', () => {
  it('is the one given when nothing was on screen', () => {
    expect(ids(steadyOrder([item('b'), item('a')], []))).toEqual(['b', 'a']);
  });

  it('keeps what was on screen where it was, with new ones after it', () => {
    const given = [item('new'), item('b'), item('a')];
    expect(ids(steadyOrder(given, ['a', 'gone', 'b']))).toEqual(['a', 'b', 'new']);
  });

  it('puts what is graver first, new or not', () => {
    const given = [item('a', 'notice'), item('b'), item('new', 'critical')];
    expect(ids(steadyOrder(given, ['a', 'b']))).toEqual(['new', 'b', 'a']);
  });
});
