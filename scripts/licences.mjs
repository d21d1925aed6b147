import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Where the list is. */
export const LIST = 'docs/licences.md';

/** Licences that a package may have, and why those are fine that ask for more than their text to be kept. */
export const ALLOWED = {
  MIT: '',
  ISC: '',
  '0BSD': '',
  'BSD-2-Clause': '',
  'BSD-3-Clause': '',
  'Apache-2.0': '',
  'CC0-1.0': '',
  'OFL-1.1': 'a font; it is served unchanged, under its own name',
  'CC-BY-4.0': 'data about browsers that the build reads; its authors are named in its package',
  'MPL-2.0': 'tools of the build and of the tests, unchanged',
  'LGPL-3.0-or-later':
    'image libraries that Next can load and Keeperscope does not; separate files, unchanged',
};

/** @returns {{ name: string, version: string, licence: string, use: string, named: boolean }[]} by name */
export function lockedPackages() {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { '': root, ...others } = packages;
  const once = new Map();
  for (const [path, { version, license = 'none', dev, devOptional, optional }] of Object.entries(others)) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const known = once.get(`${name}@${version}`);
    const top = path === `node_modules/${name}`;
    const isOurs = top && Object.hasOwn(root.dependencies, name);
    const isTool = top && Object.hasOwn(root.devDependencies, name);
    const use =
      isTool || ((dev || devOptional) && !isOurs) ? 'development' : optional ? 'optional' : 'running';
    if (!known?.named)
      once.set(`${name}@${version}`, { name, version, licence: license, use, named: isOurs || isTool });
  }
  return [...once.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** The single licences of an SPDX expression. */
export function licencesOf(expression) {
  return expression.split(/\s+(?:AND|OR)\s+|[()]/).filter(Boolean);
}

const OURS = 'dependency-changes.md';

/** Where the changes of a package that we name are told: in ours if it tells none, else its repository, as it says itself. */
function changesOf(name) {
  if (readFileSync(`docs/${OURS}`, 'utf8').includes(`\n## ${name}\n`)) return `[ours](${OURS})`;
  const { repository } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
  const url = (typeof repository === 'string' ? repository : (repository?.url ?? ''))
    .replace(/^git\+/, '')
    .replace(/^(?:github:)?([\w.-]+\/[\w.-]+)$/, 'https://github.com/$1')
    .replace(/^git@([^:]+):/, 'https://$1/')
    .replace(/^(?:git|ssh):\/\/(?:git@)?/, 'https://')
    .replace(/\.git$/, '');
  return url === '' ? '' : `[changes](${url}/releases)`;
}

/** The whole list as Markdown. */
export function licenceList() {
  const packages = lockedPackages();
  const named = packages.filter((one) => one.named);
  const counts = new Map();
  for (const { licence } of packages) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  const notes = Object.entries(ALLOWED).filter(([, why]) => why !== '');
  return `# Licences

Keeperscope itself is under [Apache-2.0](../LICENSE). These are the packages that \`npm start\` and \`npm test\` install, as
\`package-lock.json\` has them: exact versions, with checksums, and none of them runs a script while it is installed
(\`ignore-scripts\` in \`.npmrc\`). \`node scripts/licences.mjs\` writes this file; a test holds it to the lock file, and to the list of
licences that may occur.

| licence | packages |
| --- | --- |
${[...counts]
  .sort(([, a], [, b]) => b - a)
  .map(([licence, count]) => `| ${licence} | ${count} |`)
  .join('\n')}

${notes.map(([licence, why]) => `- ${licence}: ${why}.`).join('\n')}

## Packages that we name

| package | version | licence | for | |
| --- | --- | --- | --- | --- |
${named.map(({ name, version, licence, use }) => `| ${name} | ${version} | ${licence} | ${use} | ${changesOf(name)} |`).join('\n')}

## All of them

| package | version | licence | for |
| --- | --- | --- | --- |
${packages.map(({ name, version, licence, use }) => `| ${name} | ${version} | ${licence} | ${use} |`).join('\n')}
`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(LIST, licenceList());
