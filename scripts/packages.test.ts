import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

type Locked = { version: string; license?: string; integrity?: string };
type Lock = { packages: Record<string, Locked> };

/** Licences with further conditions are for packages that are used unchanged: a font, tools, and separate libraries. */
const ALLOWED = [
  ...[
    'MIT',
    'MIT-0',
    'ISC',
    '0BSD',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'Apache-2.0',
    'CC0-1.0',
    'BlueOak-1.0.0',
  ],
  ...['CC-BY-4.0', 'MPL-2.0', 'LGPL-3.0-or-later'],
];

function lockedPackages(): [string, Locked][] {
  const { packages }: Lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  return Object.entries(packages).filter(([path]) => path !== '');
}

/** Old packages have no licence in the lock file, or list several in another member. */
function licenceOf(path: string, { license }: Locked): string {
  if (license !== undefined) return license;
  const { licenses = [] }: { licenses?: { type: string }[] } = JSON.parse(
    readFileSync(`${path}/package.json`, 'utf8'),
  );
  return licenses.map(({ type }) => type).join(' OR ') || 'none';
}

it('no package has a licence outside the list of allowed ones', () => {
  const licences = lockedPackages().map(([path, locked]) => ({ path, licence: licenceOf(path, locked) }));
  const others = licences.filter(({ licence }) =>
    licence.split(/\s+(?:AND|OR)\s+|[()]/).some((word) => word !== '' && !ALLOWED.includes(word)),
  );
  expect(others.map(({ path, licence }) => `${path}: ${licence}`)).toEqual([]);
});

it('we name every package by its exact version', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const versions: [string, string][] = Object.entries({ ...dependencies, ...devDependencies });
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

it('no package may run a script while it is installed, and every one has its checksum', () => {
  expect(readFileSync('.npmrc', 'utf8').split('\n')).toContain('ignore-scripts=true');
  expect(lockedPackages().filter(([, { integrity }]) => !integrity)).toEqual([]);
});
