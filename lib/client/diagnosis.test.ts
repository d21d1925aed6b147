import { describe, expect, it } from 'vitest';
import { failed, ok } from '@/lib/domain/outcome';
import { isOver, lookedAfter, nextDiagnosisMs } from './diagnosis';

const down = failed<number>({ kind: 'unreachable', service: 'logs', detail: 'No connection.' });

describe('looking at a diagnosis', () => {
  it('keeps what is known when a later look fails, and counts the failures until one succeeds', () => {
    const first = lookedAfter(ok(1), undefined);
    const second = lookedAfter(down, lookedAfter(down, first));
    expect(second).toMatchObject({ answer: 1, trouble: { attempts: 2 } });
    expect(lookedAfter(ok(2), second)).toEqual({ answer: 2, trouble: undefined });
  });

  it('asks soon while evidence is gathered, seldom after, and more and more seldom while it fails', () => {
    const at = (state: 'gathering' | 'complete' | 'partial') => ({ answer: { state }, trouble: undefined });
    expect(nextDiagnosisMs(at('gathering'), 0)).toBe(1_000);
    expect(nextDiagnosisMs(at('complete'), 0)).toBe(10_000);
    expect(nextDiagnosisMs(at('partial'), 0)).toBe(10_000);
    const failing = (attempts: number) => ({
      answer: undefined,
      trouble: { failure: { kind: 'failing' as const, detail: '' }, attempts },
    });
    expect([1, 2, 9].map((attempts) => nextDiagnosisMs(failing(attempts), 0))).toEqual([
      5_000, 10_000, 60_000,
    ]);
  });

  it('asks no more when a request is over, or when the question itself was refused', () => {
    const request = { kind: 'record', state: { kind: 'completed', callback: 'ok' } } as never;
    expect(isOver({ request })).toBe(true);
    expect(isOver({ request: undefined })).toBe(false);
    expect(nextDiagnosisMs({ answer: { state: 'complete', request }, trouble: undefined }, 0)).toBe(false);
    const failure = { kind: 'bad-request' as const, detail: '' };
    expect(nextDiagnosisMs({ answer: undefined, trouble: { failure, attempts: 1 } }, 0)).toBe(false);
  });
});
