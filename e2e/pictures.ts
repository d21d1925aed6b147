import { mkdirSync } from 'node:fs';
import type { Page } from '@playwright/test';

/** Takes a wide and a narrow picture for review, but none without the folder ONCHAIN_PICTURES. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.ONCHAIN_PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForTimeout(500);
    await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1280, height: 720 });
}
