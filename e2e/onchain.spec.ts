import { CHAIN_ID, type SentRequest } from './chain/evm';
import { startKeeper, type TestKeeper } from './chain/keeper';
import { startDashboard } from './dashboard';
import { expect, test } from './fixtures';
import { looksWell } from './looks';
import { picture } from './pictures';
import { part, pathOf } from './request-part';
import { wireRow } from './wire-row';

test('a newcomer opens a stuck request on the sandbox and reads the chain’s answer, its evidence and its age', async ({
  control,
  page,
}) => {
  const { incidents } = await control.scenario('bad-contract');
  await page.goto(pathOf(incidents[0]));
  const onchain = part(page, 'On-chain');
  await expect(onchain.locator('[data-verdict="callback-reverts"]')).toHaveText(
    'Still open; its callback would revert now: Vault: paused.',
  );
  const conclusion = page.locator('[data-chain-cause="Callback reverts"]');
  await expect(conclusion).toContainText('Next step: Send the contract’s owner this request.');
  await expect(onchain).toContainText('Would succeed with');
  await expect(onchain.getByText(/^Queried \d+ s ago$/)).toBeVisible();
  await looksWell(page, 'section:has([data-verdict])');
  await control.forgetCalls();
  // An answer younger than 2 s is repeated, and the page may just have queried by itself.
  await expect
    .poll(async () => {
      await onchain.getByRole('button', { name: 'Query again' }).click();
      return (await control.calls('rpc')).total;
    })
    .toBeGreaterThan(0);
});

test('once the chain has answered, its next step replaces that of the log, and the failure keeps its height', async ({
  control,
  dashboard,
  page,
}) => {
  const log = await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=1&network_id=8453`);
  const { requests } = await log.json();
  // NoSuchRequest, for a transaction that the chain does not know.
  const state = '{"state":"failed","reason":"Reverted: 0xc4237352"}';
  const block = String(requests[0].request_block_number);
  await control.rows('main', [wireRow({ state, request_block_number: block })]);
  let letAnswer = () => {};
  const answered = new Promise<void>((resolve) => {
    letAnswer = resolve;
  });
  await page.route('**/api/view/requests/onchain?*', async (route) => {
    await answered;
    await route.continue();
  });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/requests/8453/77000001');
  const verdict = page.getByRole('region', { name: 'Verdict' });
  const requested = part(page, 'Timeline').getByRole('listitem').filter({ hasText: 'Requested' });
  await expect(verdict).toContainText('Already answered or reorged');
  await expect(requested).toHaveAttribute('data-step', 'done');
  const heightOf = async () => (await verdict.boundingBox())?.height;
  const height = await heightOf();
  letAnswer();
  await expect(verdict).toContainText('Nothing to answer. Its sender may have to request again.');
  await expect(verdict).not.toContainText('Already answered');
  expect(await heightOf()).toBe(height);
  await expect(requested).toHaveAttribute('data-step', 'unknown');
  await expect(requested).toContainText('unknown to the chain');
  await expect(requested).not.toContainText(/block \d/);
  await looksWell(page);
});

test('the list of incidents and the report name the cause of the chain, with its step', async ({
  control,
  page,
}) => {
  await control.scenario('bad-contract');
  await page.goto('/pending');
  const row = page.locator('[data-incident]').first();
  await expect(row).toContainText('Callback reverts', { timeout: 30_000 });
  await expect(row).toContainText('Next: Send the contract’s owner these requests');
  await page.reload();
  await expect(row).toContainText('On-chain');
  await picture(page, 'list');
  await row.locator('[data-opener]').click();
  const panel = page.locator('article[data-open="incident"]');
  await expect(panel.locator('[data-chain-cause="Callback reverts"]')).toBeVisible();
  await panel.getByText('Report as Markdown').click();
  const report = panel.getByLabel('Report', { exact: true });
  await expect(report).toHaveValue(/\*\*Likely cause, on-chain\*\*: Callback reverts\./);
  await expect(report).toHaveValue(/\*\*Next step\*\*: Send the contract’s owner these requests\./);
});

test.describe('wallets', () => {
  // State is queried once a minute, so an empty wallet would still be a problem in the next tests.
  test.use({ fresh: true });

  test('an emptying wallet is a problem until it is acknowledged beside its figures', async ({
    control,
    page,
  }) => {
    test.setTimeout(150_000);
    await control.wallet('8453', 1n);
    await page.goto('/');
    const problem = page.locator('[data-problem="chain"]', { hasText: 'can’t pay for 50 reveals' });
    await expect(problem).toBeVisible({ timeout: 100_000 });
    const row = page.locator('[data-chain="8453"]');
    await expect(row).toContainText('Keeper’s wallet can’t pay for 50 reveals', { timeout: 70_000 });
    await looksWell(page, '[data-chain="8453"]');
    await row.getByRole('button', { name: /^Acknowledge/ }).click();
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).last().click();
    await expect(row.locator('[data-acknowledged]')).toBeVisible();
    await picture(page, 'wallet-acknowledged');
    await expect(problem).toHaveCount(0, { timeout: 20_000 });
    await expect(page.getByRole('link', { name: '1 acknowledged' })).toHaveAttribute(
      'href',
      '/pending/alerts',
    );
    await page.goto('/pending/alerts');
    await expect(page.locator('[data-acknowledged-kind="chain"]')).toContainText('Base: keeper’s wallet 0x');
  });
});

test('a failing RPC is one muted line, and a refresh shows the answer once it works', async ({
  control,
  page,
}) => {
  const { incidents } = await control.scenario('overtaken');
  await control.fault({ service: 'rpc', fault: { kind: 'html' } });
  await page.goto(pathOf(incidents[0]));
  const onchain = part(page, 'On-chain');
  await expect(onchain.getByText(/^The chain was not queried: .* is a web page, not JSON/)).toBeVisible();
  await expect(page.getByText(/No outcome logged\.$/)).toBeVisible();
  await control.noFaults();
  await expect
    .poll(async () => {
      await onchain.getByRole('button', { name: 'Query again' }).click();
      return onchain.locator('[data-verdict]').count();
    })
    .toBe(1);
});

test.describe('without RPC_URLS', () => {
  let keeper: TestKeeper;
  test.beforeAll(async () => {
    keeper = await startKeeper(`0x${'c0'.repeat(20)}`);
  });
  test.afterAll(() => keeper.stop());

  test('the section is one muted line, and nothing else is requested', async ({ page }) => {
    const request: SentRequest = {
      sequence: 5,
      tx: `0x${'ab'.repeat(32)}`,
      block: 100,
      isReverted: false,
      user: '11'.repeat(32),
      contribution: '22'.repeat(32),
      sender: `0x${'cd'.repeat(20)}`,
      gasLimit: 500_000,
    };
    keeper.log(request);
    const dashboard = await startDashboard({ LOGS_URL: keeper.origin });
    try {
      await page.goto(`${dashboard.origin}/requests/${CHAIN_ID}/5`);
      const onchain = part(page, 'On-chain');
      await expect(onchain).toContainText('No RPC is set for network 8453: add 8453=https://… to RPC_URLS');
      await expect(onchain.getByRole('button')).toHaveCount(0);
      await expect(page.getByText(/No outcome logged\.$/)).toBeVisible();
      await page.goto(dashboard.origin);
      await expect(page.getByRole('heading', { name: 'Networks' })).toBeVisible();
      await expect(page.getByRole('heading', { name: 'Wallets and random numbers' })).toHaveCount(0);
    } finally {
      await dashboard.stop();
    }
  });
});
