import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ALLOWED, LIST, licenceList, licencesOf, lockedPackages } from './licences.mjs';

type Locked = { name: string; version: string; licence: string };

it('no package has a licence outside the list of those that may occur', () => {
  const packages: Locked[] = lockedPackages();
  expect(packages.length).toBeGreaterThan(100);
  const others = packages.filter(({ licence }) =>
    licencesOf(licence).some((one: string) => !Object.hasOwn(ALLOWED, one)),
  );
  expect(others).toEqual([]);
});

it('the list in the papers is the one of the lock file', () => {
  expect(readFileSync(LIST, 'utf8')).toBe(licenceList());
});

it('we name every package by its exact version', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const versions: [string, string][] = Object.entries({ ...dependencies, ...devDependencies });
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

it('no package may run a script while it is installed, and every one has its checksum', () => {
  expect(readFileSync('.npmrc', 'utf8').split('\n')).toContain('ignore-scripts=true');
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { '': _, ...locked } = packages as Record<string, { integrity?: string }>;
  expect(Object.entries(locked).filter(([, { integrity }]) => !integrity)).toEqual([]);
});
