import { existsSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestEnd } from './fault-report';
import { titlePattern } from './fault-titles';
import type { FaultTest } from './faults/fault';
import { installed, ROOT } from './project.mjs';
import { runCommand } from './run-command.mjs';

/** Where the runners leave what they did: Vitest by its configuration, Playwright by what it is told here. */
const UNIT = 'reports/unit.json';
const E2E = 'reports/faults-e2e.json';

type Runner = (files: string[], pattern: string) => Promise<TestEnd[]>;

/** Runs exactly these tests, each runner once, and tells how each ended; output for people goes to standard error. */
export async function runFaultTests(tests: readonly FaultTest[]): Promise<TestEnd[]> {
  const isSpec = ({ file }: FaultTest) => file.startsWith('e2e/');
  return [
    ...(await runWith(
      runVitest,
      tests.filter((test) => !isSpec(test)),
    )),
    ...(await runWith(runPlaywright, tests.filter(isSpec))),
  ];
}

async function runWith(run: Runner, tests: readonly FaultTest[]): Promise<TestEnd[]> {
  if (tests.length === 0) return [];
  const titles = [...new Set(tests.map(({ title }) => titlePattern(title)))];
  // Runners look for it in the titles of the blocks around a test and its own, with a space between.
  return run([...new Set(tests.map(({ file }) => file))], `(?:^| )(?:${titles.join('|')})$`);
}

async function runVitest(files: string[], pattern: string): Promise<TestEnd[]> {
  rmSync(UNIT, { force: true });
  const args = [installed('vitest', 'vitest.mjs'), 'run', '-t', pattern, ...files];
  await runCommand(process.execPath, args, { stdio: ['ignore', 2, 2] });
  return existsSync(UNIT) ? unitEnds(JSON.parse(readFileSync(UNIT, 'utf8'))) : [];
}

type UnitReport = {
  testResults: { name: string; assertionResults: { title: string; status: string }[] }[];
};

/** What the JSON report of Vitest says. Tests that the pattern left out count as skipped there. */
export function unitEnds({ testResults }: UnitReport): TestEnd[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, status }) => ({
      file: relative(ROOT, name),
      title,
      end: status === 'passed' || status === 'failed' ? status : 'skipped',
    })),
  );
}

async function runPlaywright(files: string[], pattern: string): Promise<TestEnd[]> {
  rmSync(E2E, { force: true });
  const cli = installed('@playwright', 'test', 'cli.js');
  const args = [cli, 'test', '--reporter=list,json', '--grep', pattern, ...files];
  const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: E2E };
  await runCommand(process.execPath, args, { env, stdio: ['ignore', 2, 2] });
  return existsSync(E2E) ? specEnds(JSON.parse(readFileSync(E2E, 'utf8'))) : [];
}

type Suite = {
  file: string;
  specs: { title: string; tests: { status: string }[] }[];
  suites?: Suite[];
};

/** What the JSON report of Playwright says. A test that passed only at another try has not passed. */
export function specEnds({ suites }: { suites: Suite[] }): TestEnd[] {
  return suites.flatMap((suite) => [
    ...suite.specs.flatMap(({ title, tests }) =>
      tests.map(({ status }) => ({ file: `e2e/${suite.file}`, title, end: endOf(status) })),
    ),
    ...specEnds({ suites: suite.suites ?? [] }),
  ]);
}

function endOf(status: string): TestEnd['end'] {
  if (status === 'expected') return 'passed';
  return status === 'skipped' ? 'skipped' : 'failed';
}
