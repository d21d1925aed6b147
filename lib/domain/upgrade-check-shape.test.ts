import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shapeDifferences, wireShapeOf } from './upgrade-check-shape';
import { parseWireJson } from './wire-json';

const differences = (old: string, upgraded: string) =>
  shapeDifferences(wireShapeOf(parseWireJson(old)), wireShapeOf(parseWireJson(upgraded))).map(
    ({ kind, path }) => `${kind} ${path}`,
  );

describe('the shape of two answers', () => {
  test('is the same when only values differ', () => {
    const one =
      '{"parsed":[{"id":"ab","price":{"price":"-12","expo":-8}},{"id":"cd","price":{"price":"3","expo":-5}}]}';
    const other = '{"parsed":[{"id":"ab","price":{"price":"99999999999999999999","expo":0}}]}';
    expect(differences(one, other)).toEqual([]);
  });

  test('differs by members that are added or missing, each named by its place, without what is below', () => {
    const one = '{"parsed":[{"price":{"conf":"1","expo":1}}],"binary":{"data":[]}}';
    const other = '{"parsed":[{"price":{"expo":1,"more":{"a":1,"b":2}}}],"binary":{"data":[]},"v":1}';
    expect(differences(one, other)).toEqual([
      'missing parsed[].price.conf',
      'added parsed[].price.more',
      'added v',
    ]);
  });

  test.each([
    ['"12"', '12', 'an integer that is no text any more'],
    ['12', '12.5', 'a fraction in place of an integer'],
    [`"${'ab'.repeat(20)}"`, `"0x${'ab'.repeat(20)}"`, 'hex that has its 0x'],
    ['[]', '{}', 'a list that became an object'],
    ['true', '"true"', 'text in place of a flag'],
  ])('differs where %s became %s: %s', (old, upgraded) => {
    expect(differences(`{"a":${old}}`, `{"a":${upgraded}}`)).toEqual(['changed a']);
  });

  test('calls what is null or absent on one host optional', () => {
    expect(differences('{"slot":1}', '{"slot":null}')).toEqual(['optional slot']);
    expect(differences('[{"a":1},{"a":2}]', '[{"a":1},{}]')).toEqual(['optional [].a']);
  });

  test('says nothing about the elements of a list that is empty on one host', () => {
    expect(differences('{"list":[]}', '{"list":[{"a":1}]}')).toEqual([]);
  });

  test('names the whole answer where that is another thing', () => {
    expect(differences('{"a":1}', '[1]')).toEqual(['changed (the whole answer)']);
  });

  test('is bounded, however many members a hostile host makes up and however deep they lie', () => {
    const names = Array.from({ length: 20_000 }, (_, n) => `"m${n}":1`).join(',');
    expect(differences('{}', `{${names}}`).length).toBeLessThanOrEqual(100);
    expect(differences('{}', `${'{"a":'.repeat(900)}1${'}'.repeat(900)}`)).toEqual(['added a']);
  });

  test('of any answer with itself has no differences', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(differences(text, text)).toEqual([]);
      }),
    );
  });

  test('differs in the other direction by the opposite', () => {
    const opposite = { added: 'missing', missing: 'added', changed: 'changed', optional: 'optional' };
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.json({ maxDepth: 3 }), (one, other) => {
        const [there, back] = [differences(one, other), differences(other, one)];
        const turned = back.map((line) => line.replace(/^\w+/, (kind) => Reflect.get(opposite, kind)));
        expect([...turned].sort()).toEqual([...there].sort());
      }),
    );
  });
});
