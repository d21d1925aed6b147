import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { countTests, e2eOutcomes, unitOutcomes } from './test-counts.mjs';

const spec = (title: string, status: string, line = 3) => ({
  title,
  file: 'a.spec.ts',
  line,
  tests: [{ status }],
});

describe('what the runners say', () => {
  test('the file and the name of each unit test, and a file that can’t be loaded as one failure', () => {
    const report = {
      testResults: [
        {
          name: join(process.cwd(), 'lib/a.test.ts'),
          status: 'failed',
          assertionResults: [
            { fullName: 'adds', status: 'passed' },
            { fullName: 'divides', status: 'failed' },
            { fullName: 'waits', status: 'pending' },
          ],
        },
        { name: join(process.cwd(), 'lib/b.test.ts'), status: 'failed', assertionResults: [] },
      ],
    };
    expect(unitOutcomes(report).map(({ name, result }) => [name, result])).toEqual([
      ['lib/a.test.ts › adds', 'passed'],
      ['lib/a.test.ts › divides', 'failed'],
      ['lib/a.test.ts › waits', 'skipped'],
      ['lib/b.test.ts', 'failed'],
    ]);
  });

  test('browser tests at any depth, where to find them, and errors outside of all tests', () => {
    const report = {
      errors: [{ message: 'no browser' }],
      suites: [
        {
          title: 'a.spec.ts',
          specs: [spec('opens', 'expected')],
          suites: [{ title: 'at night', specs: [spec('opens', 'flaky', 9)] }],
        },
      ],
    };
    expect(e2eOutcomes(report)).toEqual([
      { name: 'no browser', place: '', result: 'failed' },
      { name: 'a.spec.ts › opens', place: 'a.spec.ts:3', result: 'passed' },
      { name: 'a.spec.ts › at night › opens', place: 'a.spec.ts:9', result: 'failed' },
    ]);
  });

  test('nothing, where a runner left no report', () => {
    expect([...unitOutcomes(undefined), ...e2eOutcomes(undefined)]).toEqual([]);
  });
});

describe('the count', () => {
  const first = e2eOutcomes({
    suites: [
      { title: 'a', specs: [spec('one', 'expected'), spec('two', 'unexpected'), spec('three', 'skipped')] },
    ],
  });

  test('takes a failure for one as long as nothing else is known', () => {
    expect(countTests(first, [])).toEqual({ passed: 1, failed: 1, skipped: 1, onlyAlone: [] });
  });

  test('takes what passed alone for passed, and names it', () => {
    const second = e2eOutcomes({ suites: [{ title: 'a', specs: [spec('two', 'expected')] }] });
    expect(countTests(first, second)).toEqual({ passed: 2, failed: 0, skipped: 1, onlyAlone: ['a › two'] });
  });

  test('leaves what failed again, was skipped then, or bears another name', () => {
    for (const again of [spec('two', 'unexpected'), spec('two', 'skipped'), spec('four', 'expected')]) {
      const second = e2eOutcomes({ suites: [{ title: 'a', specs: [again] }] });
      expect(countTests(first, second)).toMatchObject({ passed: 1, failed: 1 });
    }
  });
});
