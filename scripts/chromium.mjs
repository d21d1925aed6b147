import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findOrInstall, versionOf } from './project.mjs';

/** Commands on different systems, the most likely first. */
const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const MAC_APPS = ['Chromium.app/Contents/MacOS/Chromium', 'Google Chrome.app/Contents/MacOS/Google Chrome'];
/** Takes a third less processor time in our tests than Chromium. */
const HEADLESS = 'chromium-headless-shell';
/** A headless machine without fonts draws boxes. The headless shell is optional: not every release has it. */
const DEBIAN_PACKAGES = [['chromium', 'fonts-liberation', 'fonts-dejavu-core'], [HEADLESS]];
const ADVICE =
  'No Chromium found. Install one (Debian: apt-get install chromium; elsewhere: npx playwright install chromium), or name one in CHROMIUM, and run the tests again.';

/** Chromium of the variable CHROMIUM, the system, Playwright, or installed from Debian. */
export const findChromium = () =>
  findOrInstall(search, 'Chromium for the browser tests', DEBIAN_PACKAGES, ADVICE);

/** The browser for tests without the back-forward cache. @param {string} chromium without a headless shell */
export function quickChromium(chromium) {
  return (process.env.CHROMIUM ? undefined : pathsOf(HEADLESS).find(versionOf)) ?? chromium;
}

async function search() {
  if (process.env.CHROMIUM) return versionOf(process.env.CHROMIUM) && process.env.CHROMIUM;
  const { chromium } = await import('@playwright/test');
  const apps = MAC_APPS.map((app) => `/Applications/${app}`);
  return [...COMMANDS.flatMap(pathsOf), ...apps, chromium.executablePath()].find(versionOf);
}

function pathsOf(command) {
  const { PATH = '' } = process.env;
  return PATH.split(':')
    .map((folder) => join(folder, command))
    .filter(existsSync);
}
