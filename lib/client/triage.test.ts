import { describe, expect, it } from 'vitest';
import type { TriageAnswer } from '@/lib/contract/codec/triage';
import { failed, ok } from '@/lib/domain/outcome';
import { nextLookMs, viewAfter } from './triage';

const answer = { atMs: 1, state: 'complete' } as TriageAnswer;

describe('the view after an answer', () => {
  it('is the answer', () => {
    const before = { answer: undefined, trouble: { title: 'x', todo: 'y' } };
    expect(viewAfter(ok(answer), before)).toEqual({ answer, trouble: undefined });
  });

  it('keeps the one before when there is none, and says why there is none', () => {
    const view = viewAfter(failed({ kind: 'unreachable', detail: 'No connection.' }), {
      answer,
      trouble: undefined,
    });
    expect(view.answer).toBe(answer);
    expect(view.trouble?.title).toBe('This dashboard’s own server does not answer');
  });
});

describe('when to ask again', () => {
  const next = (given: Partial<TriageAnswer> | undefined) =>
    nextLookMs({ answer: given && { ...answer, ...given }, trouble: undefined });

  it('is a second while a look is under way, else ten', () => {
    expect(next({ state: 'gathering' })).toBe(1000);
    expect(next({ progress: { done: 1, of: 2, what: 'x' } })).toBe(1000);
    expect(next({})).toBe(10_000);
    expect(next({ state: 'failed' })).toBe(10_000);
    expect(next(undefined)).toBe(10_000);
  });
});
