import { type ChildProcess, spawn } from 'node:child_process';
import AxeBuilder from '@axe-core/playwright';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { environment, freePort, startDashboard } from './dashboard';

/** Where the pictures go; nothing is compared with them, people look at them. */
const PICTURES = 'reports/gallery';
const PARTS = [
  ...['requests', 'histogram', 'filters', 'results', 'taking-away', 'request-page', 'pending'],
  ...['diagnosis', 'watch', 'feeds', 'prices', 'services', 'shell', 'pieces'],
];
/** Those with buttons that open windows. */
const WITH_WINDOWS = ['filters', 'taking-away', 'pending', 'prices'];
const WIDTHS: readonly number[] = [1440, 1024, 390];
type Theme = {
  colorScheme: 'light' | 'dark';
  axeWidths: readonly number[];
  pictureWidths: readonly number[];
};

/** Colours are the same at every width, and what stands where in both themes: only colours are asked for twice. */
const THEMES = [
  { colorScheme: 'light', axeWidths: [1440, 390], pictureWidths: WIDTHS },
  { colorScheme: 'dark', axeWidths: [1440], pictureWidths: [1440] },
] satisfies Theme[];
/** A development server compiles the page when it is asked for first, and nothing of it is made small. */
const PATIENCE_MS = 240_000;
/** Until the scripts of so large a page run, and what is loaded on demand is compiled and there. */
const LOADED_MS = 90_000;
/** What the frame around the gallery asks for on every page. */
const OF_THE_FRAME = ['/api/health', '/api/view/pending?most=0'];

let origin: string;
let server: ChildProcess;

test.describe.configure({ mode: 'serial', timeout: PATIENCE_MS });
test.use({ viewport: { width: 1440, height: 900 }, contextOptions: { reducedMotion: 'reduce' } });

test.beforeAll(async () => {
  test.setTimeout(PATIENCE_MS);
  const port = await freePort();
  const env = environment({ PORT: String(port), SANDBOX_PORT: String(await freePort()) });
  server = spawn(process.execPath, ['scripts/dev.mjs'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  origin = `http://127.0.0.1:${port}`;
  await new Promise<void>((resolve, reject) => {
    let said = '';
    server.stderr?.on('data', (chunk) => {
      said += chunk;
      if (said.includes(' is at http')) resolve();
    });
    server.once('exit', (code) => reject(new Error(`the development server ended with ${code}: ${said}`)));
  });
  expect((await fetch(`${origin}/gallery`)).status).toBe(200);
});

test.afterAll(async () => {
  if (server.exitCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await ended;
});

/** What a person who opens the gallery must not get: faults of scripts, and questions to the server. */
function watched(page: Page): string[] {
  const told: string[] = [];
  page.on('pageerror', (error) => told.push(error.message));
  page.on('request', (request) => {
    const asked = request.url().slice(origin.length);
    if (asked.startsWith('/api/') && !OF_THE_FRAME.includes(asked)) told.push(asked);
  });
  return told;
}

/** A part of it, its scripts running, with what is loaded on demand. It is slow to load, and looked at in all ways then. */
async function openPart(page: Page, part: string): Promise<void> {
  // Ages that tick would draw hundreds of specimens anew every second.
  await page.clock.setFixedTime(Date.now());
  await page.goto(`${origin}/gallery?part=${part}`, { timeout: LOADED_MS });
  await expect(page.getByRole('button', { name: 'Command palette' })).toBeEnabled({ timeout: LOADED_MS });
  for (const waits of ['Loading the evidence…', 'Loading the diagnosis…']) {
    await expect(page.getByText(waits)).toHaveCount(0, { timeout: LOADED_MS });
  }
  const histograms = page.getByRole('group', { name: 'Histogram of requests by time and state' });
  await expect(histograms).toHaveCount(part === 'histogram' ? 3 : 0, { timeout: LOADED_MS });
}

type Look = { width: number; colorScheme: Theme['colorScheme'] };

async function showIn(page: Page, { width, colorScheme }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
  await expect(page.locator('html')).toHaveCSS('color-scheme', colorScheme);
}

async function violationsIn(page: Page, place: string, scheme: Look['colorScheme']): Promise<string[]> {
  const axe = new AxeBuilder({ page }).include(place);
  // What stands on a page once stands here once per state.
  if (scheme === 'light') axe.disableRules('landmark-unique');
  else axe.withRules(['color-contrast']);
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3)}`);
}

async function widthBeyondScreen(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Opens the window of a button, looks at it, and closes it as a keyboard does. */
async function lookInto(
  page: Page,
  opener: Locator,
  { picture, scheme }: { picture: string; scheme: Look['colorScheme'] },
): Promise<string[]> {
  await opener.click();
  const open = page.locator('dialog[open], [popover]:popover-open');
  await expect(open).toHaveCount(1);
  // What it holds is loaded on demand.
  await expect(open.locator('button, input, [role="listbox"]').first()).toBeVisible({ timeout: LOADED_MS });
  await page.screenshot({ path: picture });
  const told = await violationsIn(page, 'dialog[open], [popover]:popover-open', scheme);
  await page.keyboard.press('Escape');
  await expect(open).toHaveCount(0);
  return told;
}

async function lookIntoAll(page: Page, part: string, { width, colorScheme: scheme }: Look): Promise<void> {
  const openers = page
    .locator('[data-opens] button:is([aria-haspopup="dialog"], [popovertarget])')
    .filter({ visible: true });
  const count = await openers.count();
  expect(count).toBeGreaterThan(0);
  for (let at = 0; at < count; at++) {
    const picture = `${PICTURES}/windows/${part}-${width}-${scheme}-${at}.png`;
    const seen = await lookInto(page, openers.nth(at), { picture, scheme });
    expect(seen, `window ${at}, ${width} wide, ${scheme}`).toEqual([]);
  }
}

test('every part of the gallery is looked at', async ({ page }) => {
  await openPart(page, 'pieces');
  await expect(page.locator('[data-parts] a')).toHaveText(PARTS);
});

for (const part of PARTS) {
  test(`every state of ${part} is there and accessible`, async ({ page }) => {
    const told = watched(page);
    await openPart(page, part);
    expect(await page.locator('[data-specimen]').count()).toBeGreaterThan(3);
    for (const { colorScheme, axeWidths, pictureWidths } of THEMES) {
      for (const width of WIDTHS) {
        await showIn(page, { width, colorScheme });
        expect(await widthBeyondScreen(page), `wider than a screen of ${width}`).toBe(0);
        if (pictureWidths.includes(width)) {
          await page.screenshot({ path: `${PICTURES}/${part}-${width}-${colorScheme}.png`, fullPage: true });
        }
        if (axeWidths.includes(width)) {
          expect(await violationsIn(page, 'main', colorScheme), `${width} wide, ${colorScheme}`).toEqual([]);
        }
      }
    }
    expect(told).toEqual([]);
  });
}

for (const part of WITH_WINDOWS) {
  test(`every window of ${part} opens and is accessible`, async ({ page }) => {
    const told = watched(page);
    await openPart(page, part);
    for (const { colorScheme, axeWidths } of THEMES) {
      for (const width of axeWidths) {
        await showIn(page, { width, colorScheme });
        await lookIntoAll(page, part, { width, colorScheme });
      }
    }
    expect(told).toEqual([]);
  });
}

test('a production build has no gallery', async () => {
  const dashboard = await startDashboard();
  const response = await fetch(`${dashboard.origin}/gallery`);
  const text = await response.text();
  await dashboard.stop();
  expect(response.status).toBe(404);
  expect(text).not.toContain('data-specimen');
});
