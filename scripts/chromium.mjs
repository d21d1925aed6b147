import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findOrInstall, versionOf } from './project.mjs';

/** Names under which systems install a Chromium, the likeliest first. */
const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const MAC_APPS = ['Chromium.app/Contents/MacOS/Chromium', 'Google Chrome.app/Contents/MacOS/Google Chrome'];
/** The same engine without the window around it, which costs a third of the processor's time in our tests. */
const HEADLESS = 'chromium-headless-shell';
/** Without fonts a headless machine draws boxes. Not every release has the headless shell, and the tests do without. */
const DEBIAN_PACKAGES = [['chromium', 'fonts-liberation', 'fonts-dejavu-core'], [HEADLESS]];
const ADVICE =
  'No Chromium found. Install one (Debian: apt-get install chromium; elsewhere: npx playwright install chromium), or name one in CHROMIUM, and run the tests again.';

/** The path of a Chromium that starts: the one named by CHROMIUM, a system one, Playwright's own, else Debian's. */
export const findChromium = () =>
  findOrInstall(search, 'Chromium for the browser tests', DEBIAN_PACKAGES, ADVICE);

/** A headless shell where there is one, for tests without the back-forward cache. @param {string} chromium otherwise */
export function quickChromium(chromium) {
  return (process.env.CHROMIUM ? undefined : pathsOf(HEADLESS).find(versionOf)) ?? chromium;
}

async function search() {
  if (process.env.CHROMIUM) return versionOf(process.env.CHROMIUM) && process.env.CHROMIUM;
  const { chromium } = await import('@playwright/test');
  const apps = MAC_APPS.map((app) => `/Applications/${app}`);
  // A name on the path can be an empty shell that only says how to install the real thing.
  return [...COMMANDS.flatMap(pathsOf), ...apps, chromium.executablePath()].find(versionOf);
}

function pathsOf(command) {
  const { PATH = '' } = process.env;
  return PATH.split(':')
    .map((folder) => join(folder, command))
    .filter(existsSync);
}
