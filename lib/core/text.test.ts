import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipped, csvCell, escapeFormula, returnPath, shortenHex, signInPath, trimEndWhere } from './text';

it.each([
  ['makes bidirectional marks visible', clipped('ab\u202Etxt.exe', 100), 'ab⟨202E⟩txt.exe'],
  ['so are line breaks and terminal codes', clipped('a\n\u001b[31mb', 100), 'a⟨000A⟩⟨001B⟩[31mb'],
  ['and halves of characters, which no page can hold', clipped('a\ud800b\udc00', 100), 'a⟨D800⟩b⟨DC00⟩'],
  ['whole ones stay', clipped('a😀b', 100), 'a😀b'],
  ['markup and other scripts stay', clipped('<b>قيمة</b> 価格', 100), '<b>قيمة</b> 価格'],
  ['a long one is cut, and says so', clipped('x'.repeat(1_000_000), 5), 'xxxxx…'],
  ['no character is cut in half', clipped('a😀b', 2), 'a…'],
  ['a hash keeps both ends', shortenHex(`0x1234${'0'.repeat(56)}cdef`), '0x1234…cdef'],
  ['other text is no hash', shortenHex('javascript:alert(1)'), 'javascript:ale…'],
])('of text from a service %s', (_, shown, expected) => {
  expect(shown).toBe(expected);
});

describe('a sign after a possible separator', () => {
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
  ])('is escaped in %j', (cell, safe) => {
    expect(escapeFormula(cell)).toBe(safe);
    expect(escapeFormula(safe)).toBe(safe);
  });

  it.each(['a;b=1', 'a; b', 'a =1', 'a "=1"', 'a,=1', 'x;"{"y":-1}"', 'line\nline', ';', 'a;\u2212', '1;2'])(
    'is not escaped in %j',
    (cell) => {
      expect(escapeFormula(cell)).toBe(cell);
    },
  );

  it('is escaped in every form that Unicode treats as the same sign', () => {
    const forms: string[] = [];
    for (let code = 0; code < 0x11_0000; code++) {
      const sign = code >= 0xd800 && code < 0xe000 ? '' : String.fromCodePoint(code);
      if (/^[=+\-@]/.test(sign.normalize('NFKC'))) forms.push(sign);
    }
    expect(forms.length).toBeGreaterThan(15);
    expect(forms.map((sign) => escapeFormula(`${sign}1`))).toEqual(forms.map((sign) => `'${sign}1`));
    expect(forms.map((sign) => escapeFormula(`a;${sign}1`))).toEqual(forms.map((sign) => `a;'${sign}1`));
  });

  it('is escaped after any number of blanks, even in megabytes of text', () => {
    expect(escapeFormula(`a;${' '.repeat(200)}=1`)).toBe(`a;${' '.repeat(200)}'=1`);
    expect(escapeFormula(`a;${' '.repeat(300)}=1`)).toBe(`a;${' '.repeat(256)}'${' '.repeat(44)}=1`);
    expect(escapeFormula(`${';\n'.repeat(2_000_000)}=1`).endsWith("'=1")).toBe(true);
    expect(escapeFormula(`${' '.repeat(2_000_000)}a`)).toHaveLength(2_000_002);
    expect(escapeFormula('a;'.repeat(1_000_000))).toHaveLength(2_000_000);
  });
});

it.each([
  ['-0.005', '-0.005'],
  ['12', '12'],
  ['-1+cmd', "'-1+cmd"],
  ['-1;=2', "'-1;'=2"],
  ['=1', "'=1"],
  ['a;=1', "a;'=1"],
  ['a,"b"', '"a,""b"""'],
  ['a\n=b', '"a\n\'=b"'],
])('a cell of our own with %j is written as %j', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});

it.each(['/', '/requests?state=pending&q=0x12#row', '/feeds/Crypto.BTC/USD', '/prices?ids=a,b'])(
  'leads back to %s',
  (path) => {
    expect(returnPath(path)).toBe(path);
  },
);

it.each([
  undefined,
  '',
  'requests',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/..//evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
  '/sign-in?next=/',
  '/api/session',
  '/api/logs/v1/logs',
])('never leads to %s', (path) => {
  expect(returnPath(path)).toBe('/');
});

it('the return path stays on our own host, for any requested path', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40, unit: 'binary-ascii' }), (text) => {
      const path = returnPath(`/${text}`);
      expect(new URL(path, 'http://dash.example').host).toBe('dash.example');
    }),
  );
});

it('is carried by the address of the sign-in page', () => {
  const address = signInPath('/requests?state=pending&size=50');
  const next = new URL(address, 'http://dash.example').searchParams.get('next') ?? '';
  expect(returnPath(next)).toBe('/requests?state=pending&size=50');
  expect(signInPath('//evil.example')).toBe('/sign-in');
});

it('trimEndWhere strips an ending of any length quickly', () => {
  const isZero = (digit: string) => digit === '0';
  expect(['0', '0100', '12'].map((digits) => trimEndWhere(digits, isZero))).toEqual(['', '01', '12']);
  const digits = `${'0'.repeat(1_000_000)}1`;
  expect(trimEndWhere(digits, isZero)).toBe(digits);
});
