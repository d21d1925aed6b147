import type { Locator } from '@playwright/test';
import { expect, test } from './fixtures';
import { looksWell } from './looks';
import { part } from './request-part';
import { hourAgo, records } from './requests-page';
import { PROVIDER, SENDER, secondsAgo, TX, wireRow } from './wire-row';

const OTHER_PROVIDER = `0x${'53'.repeat(20)}`;
const NUMBER = '18446744073709551557';
const row = (members: Record<string, string> = {}) => wireRow({ sequence: NUMBER, ...members });

const callbackFailed = (returned: string, more = '') =>
  `{"state":"completed","callback_failed":true,"callback_return_value":"${returned}",
    "provider_random_number":"${'22'.repeat(32)}","gas_used":"158233","callback_gas_used":"98500"${more}}`;

const errorString = (text: string) => {
  const hex = Buffer.from(text, 'utf8').toString('hex');
  const word = (value: number) => value.toString(16).padStart(64, '0');
  return `0x08c379a0${word(32)}${word(hex.length / 2)}${hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')}`;
};

const PATH = `/requests/8453/${NUMBER}`;

test('the first HTML shows the outcome of a request, also while the log service is down', async ({
  dashboard,
  control,
  page,
}) => {
  const completed = `{"state":"completed","callback_failed":false,"reveal_tx_hash":"${TX}"}`;
  await control.rows('main', [row({ state: completed, invented: '[1,2.50,12345678901234567890]' })]);
  await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 503 } });
  await control.forgetCalls();
  const html = await (await fetch(dashboard.origin + PATH)).text();
  for (const words of [
    TX,
    'Answered · logged 10.0 s after it was seen; callback ran',
    '12345678901234567890',
  ]) {
    expect(html).toContain(words);
  }
  const { calls } = await control.calls('logs:main');
  expect(calls.filter(({ query }) => query.includes(NUMBER))).toEqual([]);
  await page.goto(PATH);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Request ${NUMBER} on Base`);
  await expect(page.getByText('Answered · logged 10.0 s after it was seen; callback ran.')).toBeVisible();
  const facts = part(page, 'Request');
  for (const value of [NUMBER, PROVIDER, SENDER, TX])
    await expect(facts.getByText(value).first()).toBeVisible();
  await expect(facts.getByRole('link', { name: TX }).first()).toHaveAttribute(
    'href',
    `https://basescan.org/tx/${TX}`,
  );
  await expect(facts.getByRole('button', { name: 'Copy request transaction' })).toBeVisible();
  await expect(part(page, 'API call')).toContainText(
    `curl -H "Authorization: Bearer $LOGS_API_KEY" "$LOGS_URL/v1/logs?network_id=8453&query=${NUMBER}"`,
  );
  await expect(part(page, 'Other fields')).toContainText('[1,2.50,12345678901234567890]');
  await expect(part(page, 'Raw JSON')).toContainText(`"sequence": ${NUMBER}`);
});

test('several requests under one sequence are choices, each with its own link', async ({ control, page }) => {
  const other = row({ provider: `"${OTHER_PROVIDER}"`, state: '{"state":"failed","reason":"No gas"}' });
  await control.rows('main', [row(), other]);
  await page.goto(PATH);
  const choices = part(page, 'Used by 2 providers. Choose one.');
  await expect(choices.getByRole('link')).toHaveCount(2);
  await choices.getByRole('listitem').filter({ hasText: OTHER_PROVIDER }).getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`provider=${OTHER_PROVIDER}`));
  await expect(part(page, 'Failure')).toContainText('No gas');
  const others = page.locator('[data-others="1"]');
  await expect(others).toContainText('1 other request has this sequence');
  await others.getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`provider=${PROVIDER}`));
});

test('a failed callback is decoded, its random number verified, and the retry command given', async ({
  control,
  page,
}) => {
  const browserMessages: string[] = [];
  page.on('console', (message) => browserMessages.push(message.text()));
  page.on('pageerror', (error) => browserMessages.push(error.message));
  const odd = ',"odd":{"a":"<img src=x onerror=alert(1)>"}';
  await control.rows('main', [row({ state: callbackFailed(errorString('Round is over 🎲'), odd) })]);
  await page.goto(PATH);
  const verdict = page.getByRole('region', { name: 'Verdict' });
  await expect(verdict).toContainText(
    'Answered · logged 10.0 s after it was seen; the contract’s own callback reverted. It can be retried by anyone.',
  );
  await expect(verdict.getByText('Round is over 🎲')).toBeVisible();
  await expect(verdict).toContainText('Next step:');
  const failure = part(page, 'Callback reverted');
  await expect(failure.getByText('Error(string)')).toBeVisible();
  await expect(part(page, 'Gas')).toContainText('98,500 · 19.7% of the limit');
  await expect(part(page, 'Retry callback')).toContainText(
    `cast send 0x6E7D74FA7d5c90FEF9F0512987605a6d546181Bb "revealWithCallback(address,uint64,bytes32,bytes32)" ` +
      `${PROVIDER} ${NUMBER} 0x${'11'.repeat(32)} 0x${'22'.repeat(32)} --rpc-url $RPC_URL --private-key $PRIVATE_KEY`,
  );
  const numbers = part(page, 'Random number');
  await expect(numbers).toContainText('Not verifiable');
  await looksWell(page);
  expect(browserMessages).toEqual([]);
  const wrong = callbackFailed('0x', `,"combined_random_number":"${'33'.repeat(32)}"`);
  await control.rows('main', [row({ gas_limit: '100000', state: wrong })]);
  await page.goto(PATH);
  await expect(verdict).toContainText('Likely out of gas: 98.5% of the limit used.');
  await expect(numbers.getByText('Does not match')).toBeVisible();
});

test('a request shows its verified number, neighbours, the sender’s other requests, and the typical latency', async ({
  dashboard,
  page,
}) => {
  const query = `limit=200&state=Completed&network_id=8453&max_timestamp=${hourAgo()}`;
  const { requests } = await (await fetch(`${dashboard.origin}/api/logs/v1/logs?${query}`)).json();
  const bySender = new Map<string, number>();
  for (const { sender } of requests) bySender.set(sender, (bySender.get(sender) ?? 0) + 1);
  const [busiest] = [...bySender].sort((a, b) => b[1] - a[1])[0] ?? [];
  const ofBusiest = requests.find((request: { sender: string }) => request.sender === busiest);
  await page.goto(
    `/requests/${ofBusiest.network_id}/${ofBusiest.sequence}?provider=${ofBusiest.provider}&tx=${ofBusiest.request_tx_hash}`,
  );
  const numbers = part(page, 'Random number');
  await expect(numbers.getByText('Verified')).toBeVisible();
  await expect(numbers.getByText(ofBusiest.state.combined_random_number)).toBeVisible();
  const neighbours = part(page, 'Neighbours');
  await expect(neighbours.locator('[aria-current]')).toHaveText(String(ofBusiest.sequence));
  await expect(neighbours.getByRole('link').first()).toHaveText(/^\d+$/);
  expect(await neighbours.getByRole('link').count()).toBeGreaterThan(3);
  await expect(part(page, 'Same sender')).toContainText(/requests/);
  await expect(part(page, 'Timeline')).toContainText(/p50 .+ · p95 .+ · last 7 d/);
});

test('a pending request counts on, and completes without a reload', async ({ control, page }) => {
  await control.rows('main', [row()]);
  await page.goto(PATH);
  await expect(page.getByText(/^Pending for \d+ min \d\d s\. No outcome logged/)).toBeVisible();
  await expect(part(page, 'Random number').getByText('No reveal logged')).toBeVisible();
  await control.rows('main', [row({ state: '{"state":"completed","callback_failed":false}' })]);
  await expect(page.getByText('Answered · logged 10.0 s after it was seen; callback ran.')).toBeVisible();
});

/** Waits for the text to change: from then on the page runs in the browser. */
async function changes(text: Locator) {
  const first = await text.textContent();
  await expect(text).not.toHaveText(first ?? '');
}

test('the age of a request is that of the server, though the clock of the browser is nine minutes behind', async ({
  control,
  page,
}) => {
  await control.rows('main', [row({ created_at: secondsAgo(330) })]);
  await page.addInitScript(() => {
    const now = Date.now.bind(Date);
    Date.now = () => now() - 540_000;
  });
  await page.goto(PATH);
  await changes(page.getByText(/^Pending for \d+ min.*No outcome/));
  await expect(page.getByText(/^Pending for [56] min \d\d s\. No outcome logged/)).toBeVisible();
  await page.getByRole('button', { name: 'Relative' }).click();
  const seen = part(page, 'Timeline').getByRole('listitem').filter({ hasText: 'Seen' });
  await expect(seen.locator('time')).toHaveText(/^[56] min ago$/);
  await page.goto('/requests?range=all');
  await changes(page.locator('[data-sync]'));
  await expect(page.getByText(/in the future/)).toHaveCount(0);
});

test('an unknown sequence is reported with the places that were searched', async ({ dashboard, page }) => {
  await page.goto(PATH);
  await expect(part(page, 'Not found')).toContainText(
    `No request ${NUMBER} on Base (network 8453) in the log of keepers main, test.`,
  );
  await expect(page.getByRole('link', { name: /^Search all networks/ })).toHaveAttribute(
    'href',
    new RegExp(`q=${NUMBER}`),
  );
  for (const path of ['/requests/base/17', '/requests/8453/latest', '/requests/8453/18446744073709551616']) {
    expect((await fetch(dashboard.origin + path)).status).toBe(404);
  }
});

test('the next and previous request are those of the list that one came from, by keys too', async ({
  page,
}) => {
  await page.goto('/requests?range=24h');
  const links = records(page).locator('[data-row-link]');
  await expect(links).toHaveCount(50);
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  const [first = '', second = '', third = ''] = paths;
  await page.goto(second);
  await expect(page.getByText('2 of 50 listed')).toBeVisible();
  await page.keyboard.press('j');
  await expect(page).toHaveURL(third);
  await expect(page.getByText('3 of 50 listed')).toBeVisible();
  await page.getByRole('link', { name: /^Previous request/ }).click();
  await expect(page).toHaveURL(second);
  await expect(page.getByText('2 of 50 listed')).toBeVisible();
  await page.keyboard.press('k');
  await expect(page).toHaveURL(first);
  await expect(page.getByRole('button', { name: 'Previous request: none' })).toBeDisabled();
  await page.goBack();
  await expect(page).toHaveURL(/\/requests\?/);
});
