/** Prometheus's own checker, for tests: used where it is installed (Debian's package `prometheus`). */
import { spawnSync } from 'node:child_process';

/** Whether `promtool` can be run here. */
export const isPromtoolInstalled = spawnSync('promtool', ['--version']).status === 0;

/** For the title of a test that is skipped without it. */
export const IF_NOT_INSTALLED = isPromtoolInstalled ? '' : ' (skipped: promtool is not installed)';

/** Runs it; gives what it printed where it is not content, else nothing. */
export function promtool(args: string[], input = ''): string {
  const run = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return run.status === 0 ? '' : `promtool ${args.join(' ')}: ${run.status}\n${run.stdout}${run.stderr}`;
}
