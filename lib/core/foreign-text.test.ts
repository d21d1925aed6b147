import { describe, expect, it } from 'vitest';
import { clipped, shortened, spelledOut } from './text';

describe('text from a service', () => {
  it('spells out marks that would turn the text around them', () => {
    expect(spelledOut('ab\u202Etxt.exe')).toBe('ab⟨202E⟩txt.exe');
  });

  it('spells out line breaks and terminal codes', () => {
    expect(spelledOut('a\n\u001b[31mb')).toBe('a⟨000A⟩⟨001B⟩[31mb');
  });

  it('spells out halves of characters, which no page can hold', () => {
    expect(spelledOut('a\ud800b\udc00')).toBe('a⟨D800⟩b⟨DC00⟩');
    expect(spelledOut('a😀b')).toBe('a😀b');
  });

  it('leaves markup and other scripts as they are', () => {
    expect(spelledOut('<b>قيمة</b> 価格')).toBe('<b>قيمة</b> 価格');
  });

  it('cuts a long text and says so', () => {
    expect(clipped('x'.repeat(1_000_000), 5)).toBe('xxxxx…');
  });

  it('does not cut a character in half', () => {
    expect(clipped('a😀b', 2)).toBe('a…');
  });

  it('keeps both ends of a hash', () => {
    expect(shortened(`0x1234${'0'.repeat(56)}cdef`)).toBe('0x1234…cdef');
  });

  it('does not pretend that other text is a hash', () => {
    expect(shortened('javascript:alert(1)')).toBe('javascript:ale…');
  });
});
