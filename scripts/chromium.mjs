import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fail, runCommand, say } from './project.mjs';

/** Names under which systems install a Chromium, the likeliest first. */
const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const MAC_APPS = ['Chromium.app/Contents/MacOS/Chromium', 'Google Chrome.app/Contents/MacOS/Google Chrome'];
/** The same engine without the window around it, which costs a third of the processor's time in our tests. */
const HEADLESS = 'chromium-headless-shell';
/** Without fonts a headless machine draws boxes. */
const DEBIAN_PACKAGES = ['chromium', 'fonts-liberation', 'fonts-dejavu-core'];
const ADVICE =
  'No Chromium found. Install one (Debian: apt-get install chromium; elsewhere: npx playwright install chromium), or name one in CHROMIUM, and run the tests again.';

/**
 * A Chromium that starts: the one named by CHROMIUM, a system one, Playwright's own, else Debian's by apt when root.
 * Ends with one line that says what to do when there is none.
 * @returns {Promise<string>} its path
 */
export async function findChromium() {
  const found = await search();
  if (found) return found;
  if (process.getuid?.() === 0 && answers('apt-get')) {
    say('Installing Debian’s Chromium for the browser tests …');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await runCommand('apt-get', ['update', '-qq'], { env });
    const install = (packages) =>
      runCommand('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env });
    await install(DEBIAN_PACKAGES);
    // Not every release has it, and the tests do without.
    await install([HEADLESS]);
    const now = await search();
    if (now) return now;
  }
  return fail(ADVICE);
}

/** A headless shell where there is one, for tests without the back-forward cache. @param {string} chromium otherwise */
export function quickChromium(chromium) {
  const found = process.env.CHROMIUM ? undefined : pathOf(HEADLESS);
  return found && answers(found) ? found : chromium;
}

async function search() {
  if (process.env.CHROMIUM) return answers(process.env.CHROMIUM) ? process.env.CHROMIUM : undefined;
  const { chromium } = await import('@playwright/test');
  const apps = MAC_APPS.map((app) => `/Applications/${app}`).filter(existsSync);
  return [...COMMANDS, ...apps, chromium.executablePath()].map(pathOf).find((path) => path && answers(path));
}

function pathOf(command) {
  if (command.includes('/')) return existsSync(command) ? command : undefined;
  const found = spawnSync('sh', ['-c', `command -v ${command}`], { encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : undefined;
}

/** A name on the path can be an empty shell that only says how to install the real thing. */
function answers(path) {
  return spawnSync(path, ['--version'], { stdio: 'ignore', timeout: 30_000 }).status === 0;
}
