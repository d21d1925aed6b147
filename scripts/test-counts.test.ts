import { expect, test } from 'vitest';
import { e2eResults, unitResults } from './test-counts.mjs';

test('of unit tests each counts, and a file that can’t be loaded is one failure', () => {
  const testResults = [
    { status: 'failed', assertionResults: ['passed', 'failed', 'pending'].map((status) => ({ status })) },
    { status: 'failed', assertionResults: [] },
  ];
  expect(unitResults({ testResults })).toEqual(['passed', 'failed', 'skipped', 'failed']);
});

test('of browser tests each counts at any depth, and errors outside of all tests', () => {
  const spec = (status: string) => ({ tests: [{ status }] });
  const report = {
    errors: [{ message: 'no browser' }],
    suites: [{ specs: [spec('expected')], suites: [{ specs: [spec('flaky'), spec('skipped')] }] }],
  };
  expect(e2eResults(report)).toEqual(['failed', 'passed', 'failed', 'skipped']);
});

test('nothing counts where a runner left no report', () => {
  expect([...unitResults(undefined), ...e2eResults(undefined)]).toEqual([]);
});
