import AxeBuilder from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './dashboard';

const PROVIDER = `0x${'52'.repeat(20)}`;
const OTHER_PROVIDER = `0x${'53'.repeat(20)}`;
const TX = `0x${'ab'.repeat(32)}`;
const SENDER = `0x${'cd'.repeat(20)}`;
const NUMBER = '18446744073709551557';

/** A row as a deployed service writes it, as raw JSON, so that every digit is the test's own. */
function row(members: Record<string, string> = {}): string {
  const usual: Record<string, string> = {
    chain_id: '"base"',
    network_id: '8453',
    provider: `"${PROVIDER}"`,
    sequence: NUMBER,
    created_at: `"${new Date(Date.now() - 60_000).toISOString()}"`,
    last_updated_at: `"${new Date(Date.now() - 50_000).toISOString()}"`,
    request_block_number: '34000000',
    request_tx_hash: `"${TX}"`,
    gas_limit: '500000',
    user_random_number: `"${'11'.repeat(32)}"`,
    sender: `"${SENDER}"`,
    state: '{"state":"pending"}',
  };
  const all = Object.entries({ ...usual, ...members });
  return `{${all.map(([name, value]) => `"${name}":${value}`).join(',')}}`;
}

/** A completed request whose callback failed and returned this. */
const callbackFailed = (returned: string, more = '') =>
  `{"state":"completed","callback_failed":true,"callback_return_value":"${returned}",
    "provider_random_number":"${'22'.repeat(32)}","gas_used":"158233","callback_gas_used":"98500"${more}}`;

const errorString = (text: string) => {
  const hex = Buffer.from(text, 'utf8').toString('hex');
  const word = (value: number) => value.toString(16).padStart(64, '0');
  return `0x08c379a0${word(32)}${word(hex.length / 2)}${hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')}`;
};

/** The part of the page under a heading. */
function part(page: Page, title: string | RegExp): Locator {
  return page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
}

const PATH = `/requests/8453/${NUMBER}`;

test('a link opens one request with full values, explorer links and the call as curl', async ({
  dashboard,
  control,
  page,
}) => {
  await control.rows('main', [row({ invented: '[1,2.50,12345678901234567890]' })]);
  const html = await (await fetch(dashboard.origin + PATH)).text();
  expect(html).toContain(TX);
  await page.goto(PATH);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Request ${NUMBER} on Base`);
  const facts = part(page, 'Request');
  for (const value of [NUMBER, PROVIDER, SENDER, TX]) await expect(facts.getByText(value)).toBeVisible();
  await expect(facts.getByRole('link', { name: TX })).toHaveAttribute(
    'href',
    `https://basescan.org/tx/${TX}`,
  );
  await expect(facts.getByRole('button', { name: 'Copy request transaction' })).toBeVisible();
  await expect(page.getByText(/does not exist yet/)).toBeVisible();
  await expect(part(page, 'As curl')).toContainText(
    `curl -H "Authorization: Bearer $LOGS_API_KEY" "$LOGS_URL/v1/logs?network_id=8453&query=${NUMBER}"`,
  );
  await expect(part(page, 'Further members')).toContainText('[1,2.50,12345678901234567890]');
  await expect(part(page, 'Raw JSON')).toContainText(`"sequence": ${NUMBER}`);
});

test('several requests under one number are choices, and each has a link of its own', async ({
  control,
  page,
}) => {
  const other = row({ provider: `"${OTHER_PROVIDER}"`, state: '{"state":"failed","reason":"No gas"}' });
  await control.rows('main', [row(), other]);
  await page.goto(PATH);
  const choices = part(page, '2 requests share this number on this network');
  await expect(choices.getByRole('link')).toHaveCount(2);
  await choices.getByRole('listitem').filter({ hasText: OTHER_PROVIDER }).getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`provider=${OTHER_PROVIDER}`));
  await expect(part(page, 'Why it failed')).toContainText('No gas');
  await expect(choices.getByRole('listitem').filter({ hasText: 'this one' })).toContainText(OTHER_PROVIDER);
});

test('what a failed callback returned is decoded, and the command to run it again is given', async ({
  control,
  page,
}) => {
  await control.rows('main', [row({ state: callbackFailed(errorString('Round is over 🎲')) })]);
  await page.goto(PATH);
  const failure = part(page, 'Why the callback failed');
  await expect(failure.getByText('Round is over 🎲')).toBeVisible();
  await expect(failure.getByText('Error(string)')).toBeVisible();
  await expect(part(page, 'Gas')).toContainText('98,500 · 19.70 % of the limit');
  await expect(part(page, 'Run the callback again')).toContainText(
    `cast send 0x6E7D74FA7d5c90FEF9F0512987605a6d546181Bb "revealWithCallback(address,uint64,bytes32,bytes32)" ` +
      `${PROVIDER} ${NUMBER} 0x${'11'.repeat(32)} 0x${'22'.repeat(32)} --rpc-url $RPC_URL --private-key $PRIVATE_KEY`,
  );
});

for (const { state, title, text } of [
  {
    state: callbackFailed(`0x4e487b71${'11'.padStart(64, '0')}`),
    title: 'Why the callback failed',
    text: 'Panic 0x11: arithmetic overflow or underflow',
  },
  { state: callbackFailed('0x'), title: 'Why the callback failed', text: 'No return data: often out of gas' },
  {
    state: '{"state":"failed","reason":"Reverted: 0x1c26714c","provider_random_number":null}',
    title: 'Why it failed',
    text: 'Not enough gas to run the callback with the wanted amount.',
  },
  { state: callbackFailed('0xdeadbeef'), title: 'Why the callback failed', text: '0xdeadbeef' },
]) {
  test(`a failure says: ${text}`, async ({ control, page }) => {
    await control.rows('main', [row({ state })]);
    await page.goto(PATH);
    await expect(part(page, title).getByText(text).first()).toBeVisible();
  });
}

test('a random number is verified, found wrong, or said to be uncheckable', async ({
  dashboard,
  control,
  page,
}) => {
  const answer = await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=1&state=Completed`);
  const [real] = (await answer.json()).requests;
  await page.goto(`/requests/${real.network_id}/${real.sequence}?provider=${real.provider}`);
  const numbers = part(page, 'Random number');
  await expect(numbers.getByText(/Verified/)).toBeVisible();
  await expect(numbers.getByText(real.state.combined_random_number)).toBeVisible();
  const wrong = callbackFailed('0x', `,"combined_random_number":"${'33'.repeat(32)}"`);
  await control.rows('main', [row({ state: wrong })]);
  await page.goto(PATH);
  await expect(numbers.getByText(/Does not match/)).toBeVisible();
  await control.rows('main', [row()]);
  await page.goto(PATH);
  await expect(
    numbers.getByText('Cannot be checked, because the provider random number is missing so far.'),
  ).toBeVisible();
});

test('neighbours and the sender’s other requests are listed, with counts that say what they count', async ({
  dashboard,
  page,
}) => {
  const answer = await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=100&state=Completed`);
  const { requests } = await answer.json();
  const bySender = new Map<string, number>();
  for (const { sender } of requests) bySender.set(sender, (bySender.get(sender) ?? 0) + 1);
  const [busiest] = [...bySender].sort((a, b) => b[1] - a[1])[0] ?? [];
  const one = requests.find((request: { sender: string }) => request.sender === busiest);
  await page.goto(
    `/requests/${one.network_id}/${one.sequence}?provider=${one.provider}&tx=${one.request_tx_hash}`,
  );
  const neighbours = part(page, 'Neighbours by sequence');
  await neighbours.scrollIntoViewIfNeeded();
  const before = (BigInt(one.sequence) - 1n).toString().replace(/\B(?=(\d{3})+$)/g, ',');
  await expect(neighbours.getByRole('listitem').filter({ hasText: before })).toBeVisible();
  await expect(neighbours.getByText('Looking…')).toHaveCount(0);
  const sender = part(page, 'Same sender');
  await sender.scrollIntoViewIfNeeded();
  await expect(sender).toContainText(
    /The newest 10 of [\d,]+ requests of this sender on all networks of the keeper\./,
  );
});

test('a duration stands beside what is usual on the network, with its number', async ({
  dashboard,
  page,
}) => {
  const answer = await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=1&state=Completed&network_id=8453`);
  const [real] = (await answer.json()).requests;
  await page.goto(`/requests/8453/${real.sequence}?provider=${real.provider}`);
  await expect(part(page, 'Timeline')).toContainText(
    /Median .+, 95 % within .+, of the last \d+ completed requests on Base\./,
  );
});

test('a pending request counts on, and is seen to complete without a reload', async ({ control, page }) => {
  await control.rows('main', [row()]);
  await page.goto(PATH);
  await expect(part(page, 'Timeline')).toContainText(/Age.*min/);
  await control.rows('main', [row({ state: '{"state":"completed","callback_failed":false}' })]);
  await expect(page.getByText('Revealed, and the callback of the contract ran.')).toBeVisible();
});

test('a number that is not in the log is said to be none, with what was asked', async ({ page }) => {
  await page.goto(PATH);
  await expect(part(page, 'No such request')).toContainText(
    `The log of keeper main has no request with the number ${NUMBER} on Base (network id 8453).`,
  );
  await expect(page.getByRole('link', { name: /in all networks$/ })).toHaveAttribute(
    'href',
    new RegExp(`q=${NUMBER}`),
  );
  await page.getByRole('link', { name: 'Ask keeper test for it' }).click();
  await expect(page.getByText('Keeper test does not serve the network 8453.')).toBeVisible();
});

test('a service that fails is a failure, never "no such request"', async ({ control, page }) => {
  await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 503 } });
  await page.goto(PATH);
  await expect(page.getByRole('alert').filter({ hasText: 'Request log service' })).toContainText(
    'it is not known whether there is such a request',
  );
  await expect(page.getByText('No such request')).toHaveCount(0);
  await control.noFaults();
  await control.rows('main', [row()]);
  await expect(part(page, 'Timeline')).toBeVisible({ timeout: 20_000 });
});

test('an address without numbers is the page for what is not there', async ({ dashboard }) => {
  for (const path of ['/requests/base/17', '/requests/8453/latest', '/requests/8453/18446744073709551616']) {
    expect((await fetch(dashboard.origin + path)).status).toBe(404);
  }
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the page in ${colorScheme} is accessible, fits every width and breaks no policy`, async ({
    control,
    page,
  }) => {
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    await control.rows('main', [
      row({ state: callbackFailed(errorString('Sold out'), ',"odd":{"a":"<img src=x onerror=alert(1)>"}') }),
    ]);
    await page.emulateMedia({ colorScheme });
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(PATH);
      await expect(part(page, 'Timeline')).toContainText(/Median/);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow).toBeLessThanOrEqual(0);
    }
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    expect(said).toEqual([]);
  });
}

test('stepping from row to row moves nothing in the panel, however long the titles are', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 800 });
  await page.goto('/requests?range=all');
  await page.getByRole('table', { name: 'Requests' }).locator('tbody tr[data-row="record"]').first().focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary', { name: 'Request' });
  await expect(panel).toBeVisible();
  const tops = new Set<number | undefined>();
  for (let step = 0; step < 25; step++) {
    const key = String(await panel.getAttribute('data-open-request'));
    tops.add((await panel.locator('[data-scrolls]').boundingBox())?.y);
    await page.keyboard.press('j');
    await expect(panel).not.toHaveAttribute('data-open-request', key);
  }
  expect([...tops]).toHaveLength(1);
});
