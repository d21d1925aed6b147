import { expect, test } from 'vitest';
import {
  MOST_EXAMPLE_CHARACTERS,
  MOST_NAME_CHARACTERS,
  MOST_NAMES,
  SchemaSurprises,
  SURPRISE_KINDS,
} from './schema-surprises';

test('sightings of one name are one surprise, with its first example and both times', () => {
  let now = 10;
  const surprises = new SchemaSurprises(() => now);
  surprises.note([{ kind: 'unknown-state', name: 'parked', example: '{"n":1}' }]);
  now = 30;
  surprises.note([{ kind: 'unknown-state', name: 'parked', example: '{"n":2}' }]);
  expect(surprises.read().surprises).toEqual([
    { kind: 'unknown-state', name: 'parked', example: '{"n":1}', count: 2, firstAtMs: 10, lastAtMs: 30 },
  ]);
});

test('a service that invents names fills no more than its place; the rest is counted', () => {
  const surprises = new SchemaSurprises(() => 0);
  for (const kind of SURPRISE_KINDS) {
    for (let n = 0; n < 10_000; n += 1) {
      surprises.note([{ kind, name: `${n}${'x'.repeat(5000)}`, example: 'y'.repeat(5000) }]);
    }
  }
  const { surprises: kept, others } = surprises.read();
  expect(kept).toHaveLength(MOST_NAMES * SURPRISE_KINDS.length);
  for (const kind of SURPRISE_KINDS) expect(others[kind]).toBe(10_000 - MOST_NAMES);
  for (const { name, example } of kept) {
    expect(name.length).toBeLessThanOrEqual(MOST_NAME_CHARACTERS);
    expect(example.length).toBeLessThanOrEqual(MOST_EXAMPLE_CHARACTERS + 1);
  }
});

test('names of the language itself are names like others', () => {
  const surprises = new SchemaSurprises(() => 0);
  for (const name of ['__proto__', 'constructor', 'toString', '\u202e', '\ud800'])
    surprises.note([{ kind: 'extra-member', name, example: name }]);
  expect(surprises.read().surprises.map(({ name }) => name)).toEqual([
    '__proto__',
    'constructor',
    'toString',
    '\u202e',
    '\ud800',
  ]);
});
