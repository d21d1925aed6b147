import { describe, expect, it } from 'vitest';
import { failed, ok } from '@/lib/domain/outcome';
import { isOver, lookedAfter, nextDiagnosisMs, nextLaneMs } from './diagnosis';

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

  it('draws a strip anew while it is of now or something on it is pending', () => {
    const strip = (state: 'stuck' | 'completed') => ({
      answer: {
        items: [{ kind: 'request', key: '', sequence: '1', createdMs: 0, state, twins: [] } as const],
      },
      trouble: undefined,
    });
    expect(nextLaneMs(strip('completed') as never, { toMs: 10 }, 20)).toBe(false);
    expect(nextLaneMs(strip('stuck') as never, { toMs: 10 }, 20)).toBe(20_000);
    expect(nextLaneMs(strip('completed') as never, { toMs: 30 }, 20)).toBe(20_000);
    expect(nextLaneMs(undefined, { toMs: 30 }, 20)).toBe(false);
  });

  it('asks for a strip again soon that waits its turn, and draws none meanwhile', () => {
    const turn = failed<never>({ kind: 'too-many', detail: '', retryAfterS: 1 });
    const looked = lookedAfter(turn, undefined);
    expect(looked.answer).toBeUndefined();
    expect(nextLaneMs(looked, { toMs: 10 }, 20)).toBe(1_500);
  });
});
