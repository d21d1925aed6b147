import { describe, expect, it } from 'vitest';
import { failed, ok } from '@/lib/domain/outcome';
import { isOver, lookedAfter } from './diagnosis';

const down = failed<number>({ kind: 'unreachable', service: 'logs', detail: 'No connection.' });

describe('looking at a diagnosis', () => {
  it('keeps what is known when a later look fails, and counts the failures until one succeeds', () => {
    const first = lookedAfter(ok(1), undefined);
    const second = lookedAfter(down, lookedAfter(down, first));
    expect(second).toMatchObject({ answer: 1, trouble: { attempts: 2 } });
    expect(lookedAfter(ok(2), second)).toEqual({ answer: 2, trouble: undefined });
  });

  it('is over once the log has an outcome', () => {
    const request = { kind: 'record', state: { kind: 'completed', callback: 'ok' } } as never;
    expect(isOver({ request })).toBe(true);
    expect(isOver({ request: undefined })).toBe(false);
  });
});
