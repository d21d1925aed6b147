import { describe, expect, it } from 'vitest';
import { draftOf, reconciledDraft } from './search-draft';

describe('the text in the search field', () => {
  it('stays while the address says what it said', () => {
    const draft = { ...draftOf('1'), text: '12' };
    expect(reconciledDraft(draft, '1')).toBe(draft);
  });

  it('is not set back when the address says what was sent, as more may have been typed', () => {
    const draft = { text: '1234', sent: '12' };
    expect(reconciledDraft(draft, '12')).toBe(draft);
  });

  it('follows when the address is changed from elsewhere', () => {
    expect(reconciledDraft(draftOf('12'), '')).toEqual(draftOf(''));
    expect(reconciledDraft({ text: '1234', sent: '12' }, '7')).toEqual(draftOf('7'));
  });
});
