import { describe, expect, it } from 'vitest';
import { draftOf, lastSent, reconciledDraft, sentDraft } from './search-draft';

describe('the text in the search field', () => {
  it('stays while the URL says what it said', () => {
    const draft = { ...draftOf('1'), text: '12' };
    expect(reconciledDraft(draft, '1')).toBe(draft);
  });

  it('is not set back by the echo of what was sent, as more may have been typed', () => {
    const draft = { ...sentDraft(draftOf(''), '12'), text: '1234' };
    const after = reconciledDraft(draft, '12');
    expect([after.text, lastSent(after)]).toEqual(['1234', '12']);
  });

  it('is not set back by the echo of what was sent before that', () => {
    const draft = { ...sentDraft(sentDraft(draftOf(''), '12'), '123'), text: '1234' };
    const between = reconciledDraft(draft, '12');
    expect([between.text, lastSent(between)]).toEqual(['1234', '123']);
    expect(reconciledDraft(between, '123').text).toBe('1234');
  });

  it('is not waiting for an echo that a later one has overtaken', () => {
    const draft = reconciledDraft(sentDraft(sentDraft(draftOf(''), '12'), '123'), '123');
    expect(reconciledDraft(draft, '12')).toEqual(draftOf('12'));
  });

  it('is not set back before the echo has come', () => {
    const draft = { ...sentDraft(draftOf(''), '12'), text: '12' };
    expect(reconciledDraft(draft, '').text).toBe('12');
  });

  it('follows when the URL is changed from elsewhere', () => {
    expect(reconciledDraft(draftOf('12'), '')).toEqual(draftOf(''));
  });
});
