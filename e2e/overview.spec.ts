import { expect, test } from './dashboard';

test('is everything well? The overview tells the health of each service', async ({
  control,
  dashboard,
  page,
}) => {
  await page.goto('/');
  for (const name of ['logs:main', 'logs:test', 'updates', 'upgraded', 'router']) {
    await expect(page.locator(`[data-service="${name}"]`).first()).toBeVisible();
  }
  await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 500 } });
  await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=1`);
  await page.goto('/');
  await expect(page.locator('[data-service="logs:main"][data-health="failing"]').first()).toBeVisible();
});

test('what happened in the last hour? Counts by state that lead to the rows', async ({ dashboard, page }) => {
  await page.goto('/');
  const pending = page
    .getByRole('main')
    .getByRole('link', { name: /^pending/i })
    .first();
  await expect(pending).toHaveAttribute('href', /state=pending/);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const { total_results } = await (
    await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=1&state=Completed&min_timestamp=${since}`)
  ).json();
  const completed = page.getByRole('link', { name: /completed/i }).first();
  await expect(completed).toContainText(/\d/);
  const shown = Number(
    String(await completed.textContent())
      .match(/\d[\d,]*/)?.[0]
      ?.replaceAll(',', ''),
  );
  expect(Math.abs(shown - total_results)).toBeLessThan(20);
});
