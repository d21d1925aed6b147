import { expect, test } from './fixtures';
import { shiftSoFar } from './requests-page';

test.use({ fresh: true, settings: { SANDBOX_RECORDS: '8000' } });

const PATHS = ['/', '/requests', '/pending', '/pending/alerts', '/services'];
/**
 * Just after a start and with nothing cached, lines wrap anew if the page's font arrives late. `/pending`: the chain's
 * first answer replaces the verdict of the log, and may take fewer lines.
 */
const MAX_SHIFT: Record<string, number> = { '/pending': 0.06 };
const MAX_FONT_SHIFT = 0.035;

for (const width of [390, 1024]) {
  test(`nothing moves while the history is read, ${width} pixels wide`, async ({
    page,
    context,
    control,
    dashboard,
  }) => {
    // Slow answers, so that the pages are open while the history is read.
    await control.fault({ service: '*', fault: { kind: 'delay', ms: 400 } });
    const tabs = await Promise.all(
      PATHS.map(async (path, at) => ({ path, tab: at === 0 ? page : await context.newPage() })),
    );
    await Promise.all(
      tabs.map(async ({ path, tab }) => {
        await tab.setViewportSize({ width, height: 844 });
        await tab.goto(dashboard.origin + path);
      }),
    );
    const isRead = async () => {
      const { index } = await (await page.request.get('/api/view/requests?range=1h')).json();
      return index.every(({ coversAll }: { coversAll: boolean }) => coversAll);
    };
    await expect.poll(isRead, { timeout: 100_000 }).toBe(true);
    for (const { tab } of tabs) await expect(tab.getByText(/syncing history/i)).toHaveCount(0);
    await expect(page.getByRole('region', { name: 'Problems now' })).not.toContainText('Checking');
    for (const { path, tab } of tabs) {
      const { sum, moved } = await shiftSoFar(tab);
      expect.soft(sum, `${path}\n${moved}`).toBeLessThanOrEqual(MAX_SHIFT[path] ?? MAX_FONT_SHIFT);
    }
  });
}
