import { describe, expect, it } from 'vitest';
import { choiceDraftOf, reconciledChoice, sentDraft } from './choice-draft';

describe('the draft of a choice of several', () => {
  const start = choiceDraftOf(['1']);

  it('is what was ticked last, while the URL follows one by one', () => {
    const ticked = sentDraft(sentDraft(start, ['1', '2']), ['1', '2', '3']);
    expect(reconciledChoice(ticked, ['1']).values).toEqual(['1', '2', '3']);
    const first = reconciledChoice(ticked, ['1', '2']);
    expect(first.values).toEqual(['1', '2', '3']);
    expect(reconciledChoice(first, ['1', '2', '3']).values).toEqual(['1', '2', '3']);
  });

  it('follows when the URL skips some of them', () => {
    const ticked = sentDraft(sentDraft(start, ['1', '2']), ['2']);
    const last = reconciledChoice(ticked, ['2']);
    expect(last).toEqual({ values: ['2'], seen: '["2"]', sent: [] });
  });

  it('follows Back, and another control', () => {
    const ticked = reconciledChoice(sentDraft(start, ['1', '2']), ['1', '2']);
    expect(reconciledChoice(ticked, ['1']).values).toEqual(['1']);
    expect(reconciledChoice(ticked, []).values).toEqual([]);
  });

  it('stays the same object when nothing happened', () => {
    expect(reconciledChoice(start, ['1'])).toBe(start);
  });
});
