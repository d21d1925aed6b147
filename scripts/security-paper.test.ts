import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** A test named in docs/security.md: its file, and words of its title. */
const NAMED = /`([\w./-]+\.(?:test|spec)\.ts)` “([^”]+)”/g;

it('the paper names existing tests', () => {
  const named = [...readFileSync('docs/security.md', 'utf8').matchAll(NAMED)].map(
    ([, file = '', words = '']) => ({ file, words }),
  );
  expect(named.length).toBeGreaterThan(35);
  const lost = named.filter(
    ({ file, words }) => !existsSync(file) || !readFileSync(file, 'utf8').includes(words),
  );
  expect(lost).toEqual([]);
});

it('every control in the paper has a test', () => {
  const rows =
    readFileSync('docs/security.md', 'utf8')
      .split(/^## /m)
      .find((part) => part.startsWith('Controls'))
      ?.split('\n') ?? [];
  const controls = rows.filter((row) => row.startsWith('| ') && !/^\| (---|control )/.test(row));
  expect(controls.filter((row) => !/\.(test|spec)\.ts` “|`npm run soak`/.test(row))).toEqual([]);
});
