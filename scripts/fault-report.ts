import { titlePattern } from './fault-titles';
import type { Fault, FaultGroup, FaultTest } from './faults/fault';

/** How one test ended, by the report of its runner. `file` is from the root of the project. */
export type TestEnd = { file: string; title: string; end: 'passed' | 'failed' | 'skipped' };

/** How a fault stands: `not shown` where all its tests were skipped, as by what this machine lacks. */
export type Verdict = 'pass' | 'FAIL' | 'not shown';

export type Shown = { test: FaultTest; ends: readonly TestEnd[] };
export type Judged = { fault: Fault; verdict: Verdict; shown: readonly Shown[] };
export type JudgedGroup = { heading: string; faults: readonly Judged[] };

/** The tests that a fault names, by how they ended. A title that nothing bears is a failure: it shows nothing any more. */
export function judge(groups: readonly FaultGroup[], ends: readonly TestEnd[]): JudgedGroup[] {
  return groups.map(({ heading, faults }) => ({
    heading,
    faults: faults.map((fault) => {
      const shown = fault.tests.map((test) => ({ test, ends: endsOf(test, ends) }));
      return { fault, verdict: verdictOf(shown), shown };
    }),
  }));
}

function endsOf({ file, title }: FaultTest, ends: readonly TestEnd[]): TestEnd[] {
  const pattern = new RegExp(`^${titlePattern(title)}$`);
  return ends.filter((end) => end.file === file && pattern.test(end.title));
}

function verdictOf(shown: readonly Shown[]): Verdict {
  const ends = shown.flatMap((one) => one.ends);
  if (shown.some((one) => one.ends.length === 0) || ends.some(({ end }) => end === 'failed')) return 'FAIL';
  return ends.some(({ end }) => end === 'passed') ? 'pass' : 'not shown';
}

/** The report for people: group, fault, verdict, and below it what was seen. */
export function reportText(groups: readonly JudgedGroup[]): string {
  const parts = groups.map(({ heading, faults }) => [`\n${heading}`, ...faults.flatMap(linesOf)].join('\n'));
  return `${parts.join('\n')}\n\n${summary(groups)}\n`;
}

function linesOf({ fault, verdict, shown }: Judged): string[] {
  return [`  ${verdict.padEnd(9)} ${fault.what}`, ...shown.flatMap(seenLines)];
}

function seenLines({ test, ends }: Shown): string[] {
  const where = `${test.seenIn === 'browser' ? 'browser' : '       '}  `;
  if (ends.length === 0) return [`            ${where}no such test was run: ${test.title} (${test.file})`];
  const failed = ends.filter(({ end }) => end === 'failed');
  if (failed.length > 0)
    return failed.map(({ title, file }) => `            ${where}FAILED: ${title} (${file})`);
  const note = ends.every(({ end }) => end === 'skipped') ? 'skipped here: ' : '';
  const times = ends.length > 1 ? ` (${ends.length} tests)` : '';
  return [`            ${where}${note}${test.title}${times}`];
}

/** Faults of which at least one test asserts what is on the screen. */
export function seenInBrowser(groups: readonly FaultGroup[]): number {
  return groups.flatMap(({ faults }) => faults.filter(({ tests }) => tests.some((one) => one.seenIn))).length;
}

function summary(groups: readonly JudgedGroup[]): string {
  const all = groups.flatMap(({ faults }) => faults);
  const count = (verdict: Verdict) => all.filter((one) => one.verdict === verdict).length;
  const browser = seenInBrowser(
    groups.map(({ heading, faults }) => ({ heading, faults: faults.map(({ fault }) => fault) })),
  );
  return [
    `${all.length} faults: ${count('pass')} pass, ${count('FAIL')} FAIL, ${count('not shown')} not shown on this machine.`,
    `What the user sees is asserted in a browser for ${browser} of them.`,
  ].join('\n');
}

/** Whether every fault is shown, or nothing but what this machine lacks stands against it. */
export function isGreen(groups: readonly JudgedGroup[]): boolean {
  return groups.every(({ faults }) => faults.every(({ verdict }) => verdict !== 'FAIL'));
}
