import { describe, expect, it } from 'vitest';
import type { TriageAnswer } from '@/lib/contract/codec/triage';
import { failed, ok } from '@/lib/domain/outcome';
import { isBehind } from './asked-again';
import { viewAfter } from './triage';

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

it('is asked for again when the index has moved on, and at times without that', () => {
  const isBehindAt = (revision: number, receivedAtMs: number) =>
    isBehind({ revision: 7 }, 1000, { revision, receivedAtMs });
  expect(isBehindAt(7, 5000)).toBe(false);
  expect(isBehindAt(8, 5000)).toBe(true);
  expect(isBehindAt(7, 11_000)).toBe(true);
  expect(isBehind(undefined, 0, { revision: 1, receivedAtMs: 0 })).toBe(true);
  expect(isBehind(undefined, 0, undefined)).toBe(false);
});
