import { describe, expect, it } from 'vitest';
import type { TriageAnswer } from '@/lib/contract/codec/triage';
import { USUAL_SETTINGS } from '@/lib/domain/diagnosis/diagnosis-settings';
import { shownStanding } from './triage-standing';

const AT = 1_700_000_000_000;
const NONE = {
  pending: 0,
  stuck: 0,
  slow: 0,
  withinNormal: 0,
  incidents: 0,
  singles: 0,
  missing: 0,
  unreadable: 0,
  gone: 0,
};
const CALM = { kind: 'nothing-stuck', checkedAtMs: AT } as const;
const STUCK = { kind: 'stuck', incidents: 1, singles: 0, requests: 41 } as const;
const TROUBLE = { title: 'This dashboard’s own server does not answer', todo: 'Check that it still runs.' };

function answer(given: Partial<TriageAnswer> = {}): TriageAnswer {
  return {
    revision: 1,
    atMs: AT,
    state: 'complete',
    checkedAtMs: AT,
    index: [],
    clocks: [],
    standing: CALM,
    counts: NONE,
    incidents: [],
    singles: [],
    silence: [],
    settings: { others: USUAL_SETTINGS, networks: {} },
    ...given,
  };
}

const shown = (given?: Partial<TriageAnswer>, trouble?: typeof TROUBLE) =>
  shownStanding({ answer: given && answer(given), trouble });

describe('what the page says in one line', () => {
  it('is calm when all keepers are synced and nothing is stuck, with how much is pending', () => {
    const calm = shown({ counts: { ...NONE, pending: 12, slow: 3, withinNormal: 9 } });
    expect(calm).toMatchObject({ kind: 'calm', title: 'Nothing is stuck', checkedAtMs: AT });
    expect(calm.detail).toBe('12 requests are pending, 3 of them slow and still being retried.');
    expect(shown({ counts: { ...NONE, pending: 1, withinNormal: 1 } }).detail).toBe(
      '1 request is pending, within normal.',
    );
  });

  it('counts what is stuck', () => {
    expect(shown({ standing: STUCK })).toMatchObject({
      kind: 'stuck',
      title: '41 requests are stuck',
      detail: '1 incident. Stuck: part of an incident, or past the retry budget.',
    });
  });

  it('names networks that have gone quiet apart, calm or not: nothing of theirs need be stuck', () => {
    const counts = { ...NONE, incidents: 2 };
    expect(shown({ counts }).detail).toBe('No request is pending. 2 networks have gone quiet.');
    expect(shown({ counts, standing: STUCK }).detail).toMatch(
      /^1 incident\. 1 network has gone quiet\. Stuck:/,
    );
  });

  it.each(['syncing', 'stale'] as const)('gives a lower bound while the index is %s', (state) => {
    expect(shown({ standing: STUCK, state }).title).toBe('At least 41 requests are stuck');
  });

  it('gives a lower bound when rows were not seen', () => {
    const counts = { ...NONE, missing: 3 };
    expect(shown({ standing: STUCK, counts }).title).toBe('At least 41 requests are stuck');
  });

  it('syncs before all keepers were read once, and before the first answer', () => {
    const standing = { kind: 'not-known', why: 'Keeper main is not synced' } as const;
    expect(shown({ standing, state: 'syncing', checkedAtMs: undefined }).kind).toBe('syncing');
    expect(shown().kind).toBe('syncing');
  });

  it('says why it is not known', () => {
    const standing = { kind: 'not-known', why: 'the service answered 500.' } as const;
    expect(shown({ standing, state: 'stale' })).toMatchObject({
      kind: 'unknown',
      detail: 'The service answered 500.',
    });
  });

  it('is not calm any more when our own server stops answering', () => {
    const unknown = shown({}, TROUBLE);
    expect(unknown.kind).toBe('unknown');
    expect(unknown.detail).toContain('own server does not answer');
    expect(unknown.checkedAtMs).toBe(AT);
  });

  it('keeps saying what was stuck when our own server stops answering, as of before', () => {
    const kept = shown({ standing: STUCK }, TROUBLE);
    expect(kept.title).toBe('At least 41 requests are stuck');
    expect(kept.detail).toContain('this is how it last stood');
  });
});
