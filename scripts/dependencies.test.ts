import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const PAPER = 'docs/dependencies.md';
/** The changelog of those that keep none. */
const OURS = 'dependency-changes.md';

/** The rows of the table: names, versions, and the other cells. */
function rows(): { name: string; version: string; cells: string[] }[] {
  const [, table = ''] = readFileSync(PAPER, 'utf8').split('## Direct dependencies');
  const lines = table.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => {
    const [name = '', version = '', ...cells] = line.slice(2, -2).split(' | ');
    return { name, version, cells };
  });
}

it('every package that we name is judged, in the version that we use', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const named = Object.entries({ ...dependencies, ...devDependencies }).sort();
  expect(
    rows()
      .map(({ name, version }) => [name, version])
      .sort(),
  ).toEqual(named);
});

it('each says what it is for, when it was released, where its changes are written, and what we make of that', () => {
  for (const { name, cells } of rows()) {
    expect(cells, name).toHaveLength(6);
    expect(
      cells.filter((cell) => cell.trim() === ''),
      name,
    ).toEqual([]);
    expect(cells[1], name).toMatch(/^20\d\d-\d\d-\d\d$/);
  }
});

it('every package has a changelog, its own or ours, and ours is of the version that we use', () => {
  const written = readFileSync(`docs/${OURS}`, 'utf8').split('\n## ').slice(1);
  const newest = written.map((section) => {
    const [name, version] = section.match(/^(\S+)\n[^#]*### ([^,\s]+), 20\d\d-\d\d-\d\d/)?.slice(1) ?? [];
    return [name, version];
  });
  const lacking = rows().filter(({ cells: [, , , changes = ''] }) => changes.includes(`](${OURS})`));
  expect(newest).toEqual(lacking.map(({ name, version }) => [name, version]).sort());
  const places = /GitHub releases|CHANGELOG\.md|^(pages|posts|release notes) |^as [@a-z]|^\[ours\]/;
  expect(rows().filter(({ cells: [, , , changes = ''] }) => !places.test(changes))).toEqual([]);
});
