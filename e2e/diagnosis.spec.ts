import type { Locator, Page } from '@playwright/test';
import { RULE } from '@/sandbox/scenarios/rule-ids';
import type { Control, Scenario } from './control';
import { expect, test } from './fixtures';
import { looksWell } from './looks';
import { figureOf, NEXT_LOOK_MS, pageStatus, verdictOf } from './pending-page';
import { part, pathOf } from './request-part';
import { hourAgo, rowsOfService } from './requests-page';

/** Returns the scenario, and the diagnosis of its oldest stuck request once it is complete. */
async function open(control: Control, page: Page, name: string) {
  const { incidents } = await control.scenario(name);
  const made = incidents[0] as Scenario['incidents'][number];
  await page.goto(pathOf(made));
  return { made, diagnosis: await complete(page) };
}

const conclusionOf = (page: Page) => page.locator('[data-conclusion]');

async function complete(page: Page): Promise<Locator> {
  const diagnosis = part(page, 'Diagnosis').locator('[data-diagnosis="complete"]');
  await expect(diagnosis).toBeVisible({ timeout: NEXT_LOOK_MS });
  return diagnosis;
}

test('the diagnosis finds later requests completed, also while the service fails', async ({
  control,
  page,
}) => {
  const { incidents } = await control.scenario('overtaken');
  await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 503 } });
  await page.goto(pathOf(incidents[0]));
  const diagnosis = await complete(page);
  await expect(diagnosis).toHaveAttribute('data-top-rule', RULE.overtaken);
  const verdict = verdictOf(diagnosis, RULE.overtaken);
  await expect(conclusionOf(page)).toContainText('The keeper answers other requests of the same provider.');
  await expect(figureOf(verdict, 'Later ones completed, at least')).toHaveText('25');
  await verdict.getByText('19 more').click();
  await expect(verdict.getByRole('link')).toHaveCount(25);
  await diagnosis.locator('details').evaluateAll((all) => {
    for (const details of all) details.setAttribute('open', '');
  });
  await looksWell(page);
  await verdict.getByRole('link').first().click();
  await expect(page.getByText(/callback ran\./)).toBeVisible();
});

test('a completed duplicate shows a reorganisation, and each verdict has the calls to check it', async ({
  control,
  page,
}) => {
  const { diagnosis, made } = await open(control, page, 'reorg-twin');
  await expect(diagnosis).toHaveAttribute('data-top-rule', RULE.reorgedTwin);
  await expect(conclusionOf(page)).toContainText(/Likely cause\s*Reorged duplicate/);
  const verdict = verdictOf(diagnosis, RULE.reorgedTwin);
  const twin = new RegExp(String(made.twins[0]?.request_tx_hash), 'i');
  await expect(verdict.getByRole('link')).toHaveAttribute('href', twin);
  await diagnosis.getByText(/^Details: \d+ calls$/).click();
  const call = diagnosis.locator('[data-call="E4"]');
  await expect(call).toContainText('curl -H "Authorization: Bearer $LOGS_API_KEY" "$LOGS_URL/v1/logs?');
  await expect(call).toContainText(`query=${made.requests[0]?.sequence}`);
  await expect(page.getByText('sandbox-key')).toHaveCount(0);
  await expect(conclusionOf(page)).toContainText('Its transaction is not on the chain; its sequence was');
  await expect(diagnosis).toContainText('No retry command while pending');
  await diagnosis.getByText(/^Ruled out \(\d+\)$/).click();
  await expect(diagnosis.locator('li[data-rule][data-holds]')).toHaveCount(15);
  await diagnosis.getByText('Limitations').click();
  await expect(diagnosis.getByText(/the balance of the keeper’s wallet/)).toBeVisible();
  await expect(call.getByRole('button', { name: 'Copy the call of E4 as curl' })).toBeVisible();
});

test('a request that is still retried keeps counting beside the latency of others, and is not stuck', async ({
  control,
  page,
}) => {
  const { diagnosis } = await open(control, page, 'slow');
  await expect(diagnosis).toHaveAttribute('data-top-rule', RULE.slow);
  await expect(conclusionOf(page)).toContainText(/\d min( \d\d s)? of the retry budget left/);
  const timeline = part(page, 'Timeline');
  await expect(timeline).toContainText('Retry budget 5 min, the keeper’s default');
  await expect(diagnosis).toContainText(
    /p99 of the last [\d,]+ finished requests on this network: .+ s; (none|[\d,]+) took longer/,
  );
  const age = page.getByText(/^Pending for \d+ min \d\d s\. No outcome logged/);
  await expect(age).toHaveCount(1);
  await expect(age).not.toHaveText((await age.textContent()) ?? '');
  await expect(page.getByText('Age when checked')).toHaveCount(0);
  await page.goto('/pending');
  await expect(pageStatus(page)).toContainText('Nothing is stuck', { timeout: NEXT_LOOK_MS });
  await expect(page.locator('[data-count="slow"]')).toContainText('3', { timeout: NEXT_LOOK_MS });
});

test('a finished request has no diagnosis', async ({ dashboard, page }) => {
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  // A request finished an hour ago is in the index; its transaction selects it among those of its sequence.
  const query = `limit=1&state=Completed&network_id=8453&max_timestamp=${hourAgo()}`;
  const [real] = await rowsOfService(dashboard.origin, query);
  const its = new URLSearchParams({ keeper: 'main', tx: String(real?.request_tx_hash) });
  await page.goto(`/requests/8453/${real?.sequence}?${its}`);
  await expect(part(page, 'Timeline')).toContainText(/p50 .+ · p95/);
  await expect(page.getByRole('heading', { name: 'Diagnosis' })).toHaveCount(0);
  expect(requests.filter((url) => /pending\/diagnosis/.test(url))).toEqual([]);
});
