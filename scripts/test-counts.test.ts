import { expect, test } from 'vitest';
import { playwrightResults, vitestResults } from './test-counts.mjs';

test('each test of Vitest counts, and a file that can’t be loaded is one failure', () => {
  const assertionResults = [{ status: 'passed' }, { status: 'failed' }, { status: 'pending' }];
  const testResults = [
    { status: 'failed', assertionResults },
    { status: 'failed', assertionResults: [] },
  ];
  expect(vitestResults({ testResults })).toEqual(['passed', 'failed', 'pending', 'failed']);
});

test('browser tests count at any depth, and an error outside of all tests is one failure', () => {
  const spec = (status: string) => ({ tests: [{ status }] });
  const suites = [{ specs: [spec('expected'), spec('skipped')], suites: [{ specs: [spec('flaky')] }] }];
  const results = ['failed', 'passed', 'skipped', 'failed'];
  expect(playwrightResults({ errors: [{ message: 'no browser' }], suites })).toEqual(results);
});

test('a runner that left no report counts nothing', () => {
  expect([...vitestResults(undefined), ...playwrightResults(undefined)]).toEqual([]);
});
