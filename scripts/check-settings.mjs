import { join } from 'node:path';
import { ROOT } from './project.mjs';
import { runCommand } from './run-command.mjs';

/**
 * Checks the settings before a build is spent on them; a bad one ends with the same line that the server would say.
 * The server checks them again at every start.
 */
export async function checkSettings() {
  const code = await runCommand(process.execPath, [
    '--conditions=react-server',
    '--import=tsx',
    join(ROOT, 'scripts', 'read-settings.ts'),
  ]);
  if (code !== 0) process.exit(code);
}
