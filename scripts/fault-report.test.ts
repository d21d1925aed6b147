import { describe, expect, it } from 'vitest';
import { isGreen, judge, reportText, type TestEnd } from './fault-report';
import { specEnds, unitEnds } from './fault-runs';
import { bodyOf, hasTitle, titlePattern } from './fault-titles';
import { seen, shown } from './faults/fault';
import { ROOT } from './project.mjs';

const groups = [
  {
    heading: 'HTTP',
    faults: [
      { what: 'refused', tests: shown('lib/a.test.ts', 'is unreachable') },
      { what: 'slow', tests: seen('slow', 'it is slow? $1 … s') },
    ],
  },
];

const judged = (...ends: [file: string, title: string, end: TestEnd['end']][]) =>
  judge(
    groups,
    ends.map(([file, title, end]) => ({ file, title, end })),
  );

describe('a title', () => {
  it.each([
    ['%s leads nowhere', '/api//x leads nowhere'],
    ['$' + '{what} ends the start', 'a taken port ends the start'],
    ['calls … malformed', 'calls "null"\n malformed'],
    ['reads (a|b) *?', 'reads (a|b) *?'],
  ])('%j fits %j', (title, run) => {
    expect(run).toMatch(new RegExp(`^${titlePattern(title)}$`));
    expect(`${run}!`).not.toMatch(new RegExp(`^${titlePattern(title)}$`));
  });

  it('is found in a source by any quotes, written out or with placeholders, and not by placeholders alone', () => {
    const source = `it('is closed at once', f);\ntest(\`\${a} is not there\`, f);\nit('%s', f);`;
    expect(hasTitle(source, 'is closed at once')).toBe(true);
    expect(hasTitle(source, '/api/x is not there')).toBe(true);
    expect(hasTitle(source, 'is closed')).toBe(false);
    expect(bodyOf(source, 'is closed at once')).not.toContain('not there');
  });
});

describe('the report', () => {
  const refused = ['lib/a.test.ts', 'is unreachable', 'passed'] as const;

  it('is green when each fault has a test that passed', () => {
    const all = judged([...refused], ['e2e/slow.spec.ts', 'it is slow? $1 5 s', 'passed']);
    expect(isGreen(all)).toBe(true);
    expect(reportText(all)).toContain('2 faults: 2 pass, 0 FAIL, 0 not shown on this machine.');
    expect(reportText(all)).toContain('asserted in a browser for 1 of them');
  });

  it('fails for a test that failed, beside one that passed, and names it', () => {
    const title = 'it is slow? $1 6 s';
    const all = judged(
      [...refused],
      ['e2e/slow.spec.ts', 'it is slow? $1 5 s', 'passed'],
      ['e2e/slow.spec.ts', title, 'failed'],
    );
    expect(isGreen(all)).toBe(false);
    expect(reportText(all)).toContain(`FAILED: ${title} (e2e/slow.spec.ts)`);
  });

  it('fails for a title that nothing bears any more, and takes no test of another file for it', () => {
    const all = judged([...refused], ['e2e/other.spec.ts', 'it is slow? $1 5 s', 'passed']);
    expect(isGreen(all)).toBe(false);
    expect(reportText(all)).toContain('no such test was run');
  });

  it('says of a fault whose tests were skipped that it was not shown', () => {
    const all = judged([...refused], ['e2e/slow.spec.ts', 'it is slow? $1 5 s', 'skipped']);
    expect(isGreen(all)).toBe(true);
    expect(reportText(all)).toContain('1 not shown on this machine');
  });
});

it('reads how tests ended from the reports of both runners', () => {
  const assertionResults = [
    { title: 'a', status: 'passed' },
    { title: 'b', status: 'pending' },
  ];
  expect(unitEnds({ testResults: [{ name: `${ROOT}/lib/a.test.ts`, assertionResults }] })).toEqual([
    { file: 'lib/a.test.ts', title: 'a', end: 'passed' },
    { file: 'lib/a.test.ts', title: 'b', end: 'skipped' },
  ]);
  const spec = (title: string, status: string) => ({ title, tests: [{ status }] });
  const inner = { file: 'a.spec.ts', specs: [spec('c', 'unexpected'), spec('d', 'flaky')] };
  const suite = { file: 'a.spec.ts', specs: [spec('e', 'expected'), spec('f', 'skipped')], suites: [inner] };
  expect(specEnds({ suites: [suite] }).map(({ title, end }) => `${title} ${end}`)).toEqual([
    'e passed',
    'f skipped',
    'c failed',
    'd failed',
  ]);
});
