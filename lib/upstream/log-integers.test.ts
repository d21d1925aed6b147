import fc from 'fast-check';
import { LosslessNumber, parse, stringify } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import { integerText } from '@/lib/domain/wire-json';
import { quoteLogIntegers, quotePlainIntegers } from './log-integers';

const all = () => true;
const page = (...rows: string[]) => `{"requests":[${rows.join(',')}],"total_results":${rows.length}}`;

describe('quoteLogIntegers', () => {
  test('writes network_id and gas_limit of a row as text, with every digit', () => {
    const row = '{"network_id":42161,"gas_limit":18446744073709551615,"sequence":7}';
    expect(quoteLogIntegers(page(row), all)).toBe(
      page('{"network_id":"42161","gas_limit":"18446744073709551615","sequence":7}'),
    );
  });

  test('returns the same string when they are text already', () => {
    const text = page('{"network_id":"1","gas_limit":"5"}');
    expect(quoteLogIntegers(text, all)).toBe(text);
  });

  test('writes integers out that have an exponent, and keeps the spelling of what is no integer', () => {
    const row = '{"network_id":1e3,"gas_limit":5.0,"network_id":-4,"gas_limit":1.50,"network_id":1e400}';
    expect(quoteLogIntegers(page(row), all)).toBe(
      page('{"network_id":"1000","gas_limit":"5","network_id":"-4","gas_limit":"1.50","network_id":"1e400"}'),
    );
  });

  test('knows the members by an escaped spelling too', () => {
    const text = '{"\\u0072equests":[{"network\\u005fid":7,"gas_limit\\n":8}]}';
    expect(quoteLogIntegers(text, all)).toBe(
      '{"\\u0072equests":[{"network\\u005fid":"7","gas_limit\\n":8}]}',
    );
  });

  test.each([
    [
      'members of the same name deeper in the row',
      '{"state":{"network_id":1,"gas_limit":2},"x":[{"gas_limit":3}]}',
    ],
    ['other kinds of values', '{"network_id":null,"gas_limit":true,"network_id":[1],"gas_limit":{"a":1}}'],
    [
      'names in capitals, with more letters, or as a value',
      '{"Network_id":1,"network_id2":2,"a":"network_id","gas_limi":3}',
    ],
    ['names that end in an escaped quote', '{"network_id\\"":1,"\\"gas_limit":2}'],
    ['text that looks like members', '{"reason":"\\",\\"network_id\\":5,\\\\","b":"}]"}'],
    ['rows that are no objects', '[{"network_id":1}]'],
    ['empty rows', '{}'],
  ])('leaves %s alone', (_, row) => {
    expect(quoteLogIntegers(page(row), all)).toBe(page(row));
  });

  test('leaves the same names outside of rows alone', () => {
    const text = '{"network_id":1,"gas_limit":2,"more":{"requests":[{"network_id":1}]},"requests":[]}';
    expect(quoteLogIntegers(text, all)).toBe(text);
  });

  test('leaves rows alone that the caller cannot read, and counts the others right', () => {
    const row = '{"network_id":1}';
    const text = quoteLogIntegers(
      page(row, 'null', '3', '"a,b"', row, '[1,{}]', row),
      (index) => index !== 4,
    );
    expect(text).toBe(page('{"network_id":"1"}', 'null', '3', '"a,b"', row, '[1,{}]', '{"network_id":"1"}'));
  });

  test('rewrites only the last of two lists, as a parser takes only that', () => {
    const text = '{"requests":[{"network_id":1}],"requests":[{"network_id":2}]}';
    expect(quoteLogIntegers(text, all)).toBe(
      '{"requests":[{"network_id":1}],"requests":[{"network_id":"2"}]}',
    );
  });

  test('keeps spaces and line ends where they were', () => {
    const text =
      ' {\n "total_results" : 1 ,\r\n"requests" : [ { "network_id"\t:\t1 , "gas_limit" : 2 } ] } \n';
    expect(quoteLogIntegers(text, all)).toBe(
      ' {\n "total_results" : 1 ,\r\n"requests" : [ { "network_id"\t:\t"1" , "gas_limit" : "2" } ] } \n',
    );
  });

  test('ends on a list of any other form', () => {
    for (const text of ['null', '[]', '{}', '3', '"x"', '{"requests":3}', '{"requests":{"network_id":1}}']) {
      expect(quoteLogIntegers(text, all)).toBe(text);
    }
  });
});

const memberName = fc.constantFrom(
  'network_id',
  'gas_limit',
  'state',
  'sequence',
  'requests',
  'a"b\\',
  '…🙂',
);
const wireNumber = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 1n << 80n }),
    fc.constantFrom('', '', '.5', 'e3', 'E+2'),
  )
  .map(([sign, digits, rest]) => new LosslessNumber(`${sign}${digits}${rest}`));
const wireValue: fc.Arbitrary<unknown> = fc.letrec((again) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    wireNumber,
    fc.string({ unit: 'binary' }),
    fc.constantFrom(null, true, 'x"}],', '\\', '\\"'),
    fc.array(again('value'), { maxLength: 3 }),
    fc.dictionary(memberName, again('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const wireRow = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(memberName, wireValue, { maxKeys: 6, noNullPrototype: true }) },
  { weight: 1, arbitrary: wireValue },
);

/** What the scanner must do, by a lossless parser: slow and plain. */
function reference(body: { requests: unknown[] }, readable: (index: number) => boolean): unknown {
  const requests = body.requests.map((row, index) => {
    if (typeof row !== 'object' || row === null || Array.isArray(row) || row instanceof LosslessNumber)
      return row;
    if (!readable(index)) return row;
    const entries = Object.entries(row).map(([name, value]) => {
      const counts = name === 'network_id' || name === 'gas_limit';
      const number = value instanceof LosslessNumber ? value : undefined;
      return [name, counts && number ? (integerText(number) ?? number.value) : value];
    });
    return Object.fromEntries(entries);
  });
  return { ...body, requests };
}

test('does what a lossless parser would do, whatever the rows hold and however they are spaced', () => {
  const bodies = fc.record({ requests: fc.array(wireRow, { maxLength: 5 }), total_results: wireNumber });
  fc.assert(
    fc.property(bodies, fc.constantFrom(undefined, 1, '\t'), fc.nat(31), (body, indent, unreadable) => {
      const readable = (index: number) => ((unreadable >> index) & 1) === 0;
      const text = stringify(body, undefined, indent) ?? '';
      const expected = stringify(reference(body, readable), undefined, indent);
      expect(quoteLogIntegers(text, readable)).toBe(expected);
      expect(() => parse(quoteLogIntegers(text, readable))).not.toThrow();
    }),
    { numRuns: 500 },
  );
});

describe('quotePlainIntegers', () => {
  const usual = page(
    '{"network_id":42161,"sequence":7,"gas_limit": 18446744073709551615}',
    '{"network_id":1}',
  );

  test('does the same to a usual list', () => {
    expect(quotePlainIntegers(usual, 3)).toBe(quoteLogIntegers(usual, all));
  });

  test.each([
    ['a member of the same name deeper in a row', page('{"network_id":1,"x":{"gas_limit":2}}'), 1],
    ['a member that stands twice', page('{"network_id":1,"network_id":2}'), 1],
    ['a member outside of the rows', '{"gas_limit":1,"requests":[{"network_id":1}]}', 1],
    ['an exponent', page('{"network_id":1e3}'), 1],
    ['a negative number', page('{"network_id":-1}'), 1],
    [
      'an escape, behind which a text may look like a member',
      page('{"network_id":1,"a":"\\"gas_limit\\":2"}'),
      2,
    ],
  ])('leaves a list with %s to the scanner', (_, text, expected) => {
    expect(quotePlainIntegers(text, expected)).toBeUndefined();
  });

  test('says the same as the scanner whenever it says anything', () => {
    const key = fc.constantFrom('"network_id"', '"gas_limit"', '"a"', '"gas\\u005flimit"');
    const leaf = fc.constantFrom('1', '23', '-4', '5e1', '6.0', '"x"', '"network_id"', 'null', '"\\""');
    const object = fc.letrec<{ value: string; object: string }>((tie) => ({
      value: fc.oneof({ weight: 5, arbitrary: leaf }, { weight: 1, arbitrary: tie('object') }),
      object: fc
        .array(fc.tuple(key, fc.constantFrom(':', ' :', ': '), tie('value')), { maxLength: 4 })
        .map((members) => `{${members.map((parts) => parts.join('')).join(',')}}`),
    })).object;
    fc.assert(
      fc.property(fc.array(object, { maxLength: 4 }), (rows) => {
        const text = page(...rows);
        const numbers = (row: Record<string, unknown>) =>
          Number(typeof row.network_id === 'number') + Number(typeof row.gas_limit === 'number');
        const expected = JSON.parse(text)
          .requests.map(numbers)
          .reduce((a: number, b: number) => a + b, 0);
        const quick = quotePlainIntegers(text, expected);
        if (quick !== undefined) expect(quick).toBe(quoteLogIntegers(text, all));
      }),
      { numRuns: 2000 },
    );
  });
});
