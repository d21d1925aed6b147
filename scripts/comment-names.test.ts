import { expect, it } from 'vitest';
import { unknownNames } from './comment-names.mjs';

const findings = (text: string) => unknownNames(new Map([['a.ts', text]]), ['lib/a.ts', 'README.md']);

it.each([
  ['a name in backticks', '// Calls `readRow`.\nreadRow();'],
  ['a member and a private member', '// `row.atMs`, `#next()`\nrow.atMs = this.#next();'],
  ['a column that only a string contains', "// `created_us` is indexed.\nconst q = 'select created_us';"],
  ['a parameter', '/** @param limit rows */\nexport function page(limit: number) {}'],
  ['a parameter with a type', '/** @param {string[]} names all */\nconst f = (names) => names;'],
  ['a file by the end of its path', '// See a.ts, lib/a.ts and README.md.'],
  ['words of other cases', '// PostgreSQL, a DuckDB file, an id (e.g. AES-256).'],
  ['a comment sign within a string', "const url = 'https://camelCase';"],
])('accepts %s', (_what, text) => {
  expect(findings(text)).toEqual([]);
});

it.each([
  ['a name in backticks', '\n// Calls `readRow`.', 'a.ts:2: readRow'],
  ['a name without backticks', '/* Until readRow ends. */', 'a.ts:1: readRow'],
  ['a constant', '// MAX_ROWS', 'a.ts:1: MAX_ROWS'],
  ['a member that does not exist', '// `row.atMs`\nrow();', 'a.ts:1: row.atMs'],
  ['a private member that became public', '// `#next`\nthis.next();', 'a.ts:1: #next'],
  ['a parameter of another function', '/** @param limit rows */\nf(); const limit = 1;', 'a.ts:1: limit'],
  ['a file that does not exist', '// See b.ts.', 'a.ts:1: b.ts'],
])('rejects %s', (_what, text, finding) => {
  expect(findings(text)).toEqual([finding]);
});
