import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

export async function isAccessible(page: Page, selector?: string, rules?: string[]): Promise<void> {
  // After a navigation the title follows with the metadata of the page, which Next streams.
  await expect(page).toHaveTitle(/\S/);
  // Pages have no frames of other origins, so the legacy mode suffices; passes are not listed.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  if (selector !== undefined) axe.include(selector);
  if (rules !== undefined) axe.withRules(rules);
  const { violations } = await axe.analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).slice(0, 3)}`)).toEqual(
    [],
  );
}

/** Classes without a rule: only the style sheets in app/mantine.css are loaded. */
const bareClasses = () => {
  const rules = [...document.styleSheets].flatMap(({ cssRules }) =>
    [...cssRules].map((rule) => rule.cssText),
  );
  const classes = [...document.querySelectorAll('[class*="m_"]')].flatMap(({ classList }) => [...classList]);
  return classes.filter((name) => /^m_[0-9a-f]+$/.test(name) && !rules.some((rule) => rule.includes(name)));
};

/** The page must not scroll sideways. */
export async function expectToFit(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect.poll(overflow, `${width} pixels`).toBeLessThanOrEqual(0);
}

/** Accessible in both themes, and fitting every width. Restores light at 1280. */
export async function looksWell(page: Page, selector?: string, widths = [1440, 1024, 390]): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await isAccessible(page, selector);
  expect(await page.evaluate(bareClasses)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await isAccessible(page, selector, ['color-contrast']);
  await page.emulateMedia({ colorScheme: 'light' });
  for (const width of widths) await expectToFit(page, width);
  await page.setViewportSize({ width: 1280, height: 720 });
}
