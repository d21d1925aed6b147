import { describe, expect, it } from 'vitest';
import { draftOf, reconciledDraft } from './search-draft';

describe('the text in the search field', () => {
  it('stays while the URL says what it said', () => {
    const draft = { ...draftOf('1'), text: '12' };
    expect(reconciledDraft(draft, '1')).toBe(draft);
  });

  it('is not set back by the echo of what was sent, as more may have been typed', () => {
    const draft = { text: '1234', seen: '', sent: '12' };
    expect(reconciledDraft(draft, '12')).toEqual({ text: '1234', seen: '12', sent: '12' });
  });

  it('is not set back before the echo has come', () => {
    const draft = { text: '12', seen: '', sent: '12' };
    expect(reconciledDraft(draft, '').text).toBe('12');
  });

  it('follows when the URL is changed from elsewhere', () => {
    expect(reconciledDraft(draftOf('12'), '')).toEqual(draftOf(''));
  });
});
