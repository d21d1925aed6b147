import { describe, expect, it } from 'vitest';
import { csvCell, disarmed } from './text';

describe('a sign after something that other programs split at', () => {
  it.each([
    ["boom;=cmd|'/C calc'!A0;rest", "boom;'=cmd|'/C calc'!A0;rest"],
    ['a;+1;-1;@A1', "a;'+1;'-1;'@A1"],
    ['a;;=1', "a;;'=1"],
    ['a; \u00a0\u200b=1', "a; \u00a0\u200b'=1"],
    ['a;"=1"', 'a;"\'=1"'],
    ['a;"" =1', 'a;"" \'=1'],
    ['a\t=1', "a\t'=1"],
    ['a\n=1', "a\n'=1"],
    ['a\r\n=1', "a\r\n'=1"],
    ['a\v=1', "a\v'=1"],
    ['a\f=1', "a\f'=1"],
    ['a\u2028=1', "a\u2028'=1"],
    [';=1', ";'=1"],
    ['\t=1', "'\t'=1"],
    ['=1;=2', "'=1;'=2"],
    ['5;＝1', "5;'＝1"],
    ['⁼1;⁺2', "'⁼1;'⁺2"],
  ])('%j gets an apostrophe right before it', (cell, safe) => {
    expect(disarmed(cell)).toBe(safe);
    expect(disarmed(safe)).toBe(safe);
  });

  it.each(['a;b=1', 'a; b', 'a =1', 'a "=1"', 'a,=1', 'x;"{"y":-1}"', 'line\nline', ';', 'a;\u2212', '1;2'])(
    'none in %j, which stays',
    (cell) => {
      expect(disarmed(cell)).toBe(cell);
    },
  );

  it('is disarmed in every form that Unicode holds to be the same sign', () => {
    const forms: string[] = [];
    for (let code = 0; code < 0x11_0000; code++) {
      const sign = code >= 0xd800 && code < 0xe000 ? '' : String.fromCodePoint(code);
      if (/^[=+\-@]/.test(sign.normalize('NFKC'))) forms.push(sign);
    }
    expect(forms.length).toBeGreaterThan(15);
    expect(forms.map((sign) => disarmed(`${sign}1`))).toEqual(forms.map((sign) => `'${sign}1`));
    expect(forms.map((sign) => disarmed(`a;${sign}1`))).toEqual(forms.map((sign) => `a;'${sign}1`));
  });

  it('is disarmed after any number of blanks, in a text of megabytes too', () => {
    expect(disarmed(`a;${' '.repeat(200)}=1`)).toBe(`a;${' '.repeat(200)}'=1`);
    expect(disarmed(`a;${' '.repeat(300)}=1`)).toBe(`a;${' '.repeat(256)}'${' '.repeat(44)}=1`);
    expect(disarmed(`${';\n'.repeat(2_000_000)}=1`).endsWith("'=1")).toBe(true);
    expect(disarmed(`${' '.repeat(2_000_000)}a`)).toHaveLength(2_000_002);
    expect(disarmed('a;'.repeat(1_000_000))).toHaveLength(2_000_000);
  });
});

describe('a cell of our own', () => {
  it.each([
    ['-0.005', '-0.005'],
    ['12', '12'],
    ['-1+cmd', "'-1+cmd"],
    ['-1;=2', "'-1;'=2"],
    ['=1', "'=1"],
    ['a;=1', "a;'=1"],
    ['a,"b"', '"a,""b"""'],
    ['a\n=b', '"a\n\'=b"'],
  ])('%j is written as %j', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });
});
