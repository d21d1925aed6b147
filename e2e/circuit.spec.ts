import { expect, test } from './dashboard';
import { records } from './requests-page';

const LOGS = '/api/logs/v1/logs';

/** Asks until the service is left in peace for so long, in seconds. */
async function failUntil(origin: string, leastWaitS: number): Promise<void> {
  let asked = 0;
  const wait = async () => {
    asked += 1;
    const answer = await fetch(`${origin}${LOGS}?limit=1&asked=${asked}`);
    const { retryAfterS = 0, kind } = await answer.json();
    expect(kind).toBe('failing');
    return retryAfterS;
  };
  await expect.poll(wait, { timeout: 30_000, intervals: [50] }).toBeGreaterThanOrEqual(leastWaitS);
}

test('a service fails and fails? It is left in peace, the page of services says until when, and the rows stay', async ({
  page,
  control,
  dashboard,
}) => {
  await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 500 } });
  await failUntil(dashboard.origin, 6);
  const before = (await control.calls('logs:main')).total;
  await Promise.all(Array.from({ length: 30 }, (_, n) => fetch(`${dashboard.origin}${LOGS}?limit=1&n=${n}`)));
  expect((await control.calls('logs:main')).total - before).toBeLessThanOrEqual(1);

  await page.goto('/services');
  const logs = page.getByRole('region', { name: 'Logs main', exact: true });
  await expect(logs).toContainText(/open for .+, after \d+ failures in a row \(server error, 500\)/);

  // The rows are of the index, and stay.
  await page.goto('/requests?range=6h');
  await expect(records(page).first()).toBeVisible();
  await control.noFaults();
  await page.goto('/services');
  await expect(logs).toContainText('closed: calls go out', { timeout: 30_000 });
});
