import { installed, say } from './project.mjs';
import { runCommand } from './run-command.mjs';

const node = (name, ...args) => ({ name, args });

/** Size, types, lint (with the import table of the rooms) and unit tests: the quick loop. */
export const QUICK_CHECKS = [
  node('size', 'scripts/house-size.mjs'),
  node('route types', installed('next', 'dist', 'bin', 'next'), 'typegen'),
  node('types', installed('typescript', 'bin', 'tsc'), '--noEmit', '--project', 'tsconfig.json'),
  node('lint', installed('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.'),
  node('unit tests', installed('vitest', 'vitest.mjs'), 'run'),
];

/**
 * Runs the checks one after the other and goes on after a failure, so that one run tells everything.
 * @returns {Promise<string[]>} the names of those that failed
 */
export async function runChecks(checks) {
  const failures = [];
  for (const check of checks) {
    const started = Date.now();
    say(`── ${check.name}`);
    const code = await runCommand(process.execPath, check.args, { env: { ...process.env, ...check.env } });
    say(
      `── ${check.name}: ${code === 0 ? 'ok' : `FAILED (exit ${code})`} in ${Math.round((Date.now() - started) / 1000)} s`,
    );
    if (code !== 0) failures.push(check.name);
  }
  return failures;
}
