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
const WIDTHS = [1440, 1024, 390];
/** Colours are the same at every width, and what stands where in both themes: only colours are asked for twice. */
const AXE_WIDTHS = { light: [1440, 390], dark: [1440] };
const PICTURE_WIDTHS = { light: WIDTHS, dark: [1440] };
/** A development server compiles the page when it is asked for first, and nothing of it is made small. */
const PATIENCE_MS = 240_000;
/** Until the scripts of so large a page run, and what is loaded on demand is compiled and there. */
const LOADED_MS = 90_000;
/** What the frame around the gallery asks for on every page. */
const OF_THE_FRAME = ['/api/health', '/api/view/pending?most=0'];

let origin: string;
let server: ChildProcess;

test.describe.configure({ mode: 'serial', timeout: PATIENCE_MS });

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

/** A part of it, its scripts running, with what is loaded on demand. */
async function openPart(page: Page, part: string, look: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width: look.width, height: 900 });
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

type Look = { width: number; colorScheme: 'light' | 'dark' };

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

test('every part of the gallery is looked at', async ({ page }) => {
  await openPart(page, 'pieces', { width: 1440, colorScheme: 'light' });
  await expect(page.locator('[data-parts] a')).toHaveText(PARTS);
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const part of PARTS) {
    test(`every state of ${part} is there and accessible in ${colorScheme}`, async ({ page }) => {
      const told = watched(page);
      await openPart(page, part, { width: 1440, colorScheme });
      expect(await page.locator('[data-specimen]').count()).toBeGreaterThan(3);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        expect(await widthBeyondScreen(page), `wider than a screen of ${width}`).toBe(0);
        if (PICTURE_WIDTHS[colorScheme].includes(width)) {
          const path = `${PICTURES}/${part}-${width}-${colorScheme}.png`;
          await page.screenshot({ path, fullPage: true });
        }
        if (AXE_WIDTHS[colorScheme].includes(width)) {
          expect(await violationsIn(page, 'main', colorScheme), `${width} wide`).toEqual([]);
        }
      }
      expect(told).toEqual([]);
    });
  }

  for (const part of WITH_WINDOWS) {
    test(`every window of ${part} opens and is accessible in ${colorScheme}`, async ({ page }) => {
      const told = watched(page);
      for (const width of AXE_WIDTHS[colorScheme]) {
        await openPart(page, part, { width, colorScheme });
        const openers = page
          .locator('[data-opens] button:is([aria-haspopup="dialog"], [popovertarget])')
          .filter({ visible: true });
        const count = await openers.count();
        expect(count).toBeGreaterThan(0);
        for (let at = 0; at < count; at++) {
          const picture = `${PICTURES}/windows/${part}-${width}-${colorScheme}-${at}.png`;
          const seen = await lookInto(page, openers.nth(at), { picture, scheme: colorScheme });
          expect(seen, `window ${at}, ${width} wide`).toEqual([]);
        }
      }
      expect(told).toEqual([]);
    });
  }
}

test('a production build has no gallery', async () => {
  const dashboard = await startDashboard();
  const response = await fetch(`${dashboard.origin}/gallery`);
  const text = await response.text();
  await dashboard.stop();
  expect(response.status).toBe(404);
  expect(text).not.toContain('data-specimen');
});
