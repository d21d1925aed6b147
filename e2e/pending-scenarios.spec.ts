import type { Page } from '@playwright/test';
import type { Control, Scenario } from './control';
import { expect, test } from './dashboard';
import {
  clockOf,
  diagnosisOf,
  figureOf,
  incidentOf,
  incidents,
  NEXT_LOOK_MS,
  singleOf,
  standing,
  unfold,
  verdictOf,
} from './pending-page';

/** Ten thousand rows take a while to read. */
test.describe.configure({ timeout: 120_000 });

/** What happened by the sandbox's own account: the first network of a scenario. */
async function begin(control: Control, page: Page, name: string): Promise<Scenario['incidents'][number]> {
  const { incidents: made } = await control.scenario(name);
  await page.goto('/pending');
  return made[0] as Scenario['incidents'][number];
}

test('why is the whole network stuck? An outage is one incident with size, senders and since when', async ({
  control,
  page,
}) => {
  const made = await begin(control, page, 'rpc-outage');
  const card = incidentOf(page, 'R6', made.network_id);
  await expect(card).toContainText(`since ${clockOf(made.since)}`, { timeout: NEXT_LOOK_MS });
  await expect(incidents(page).first()).toHaveAttribute('data-rule', 'R6');
  await expect(card).toHaveAttribute('data-severity', 'critical');
  // All of them, those of the last seconds too; another one comes every few minutes.
  await expect(card).toContainText(
    new RegExp(`: (${made.pending}|${made.pending + 1}) pending, ${made.senders} senders`),
  );
  const size = /: (\d+) pending/.exec(String(await card.textContent()))?.[1];
  await expect(standing(page)).toContainText(`${size} requests are stuck`);
  await expect(page.locator('[data-count="stuck"]')).toContainText(String(size));
  const line = page.locator(`tr[data-network="${made.network_id}"]`);
  await expect(line.getByRole('cell', { name: String(size), exact: true })).toHaveCount(2);
  const verdict = verdictOf(await unfold(card), 'R6');
  await expect(figureOf(verdict, 'Share pending')).toHaveText('100 %');
  await expect(figureOf(verdict, 'Senders')).toHaveText(String(made.senders));
});

test('is it one contract? Its sender is named, with how many of others finished', async ({
  control,
  page,
}) => {
  const made = await begin(control, page, 'bad-contract');
  const card = incidentOf(page, 'R7', made.network_id);
  await expect(card).toContainText('9 pending, 1 sender', { timeout: NEXT_LOOK_MS });
  await expect(card).toContainText(String(made.figures.sender));
  const verdict = verdictOf(await unfold(card), 'R7');
  await expect(figureOf(verdict, 'Pending of this sender past normal')).toHaveText('9');
  await expect(figureOf(verdict, 'Share pending')).toHaveText('100 %');
  const others = Number(await figureOf(verdict, 'Finished ones of others since then').textContent());
  expect(others).toBeGreaterThanOrEqual(10);
});

test('has a network gone quiet? It says for how long, and what is usual', async ({ control, page }) => {
  const made = await begin(control, page, 'silence');
  const card = incidentOf(page, 'R9', made.network_id);
  await expect(card).toContainText('3 pending, 3 senders', { timeout: NEXT_LOOK_MS });
  await expect(card).toContainText(/Nothing logged for (39|40|41) min/);
  const verdict = verdictOf(await unfold(card), 'R9');
  const rows = Number(
    String(await figureOf(verdict, 'Rows in the last 24 h').textContent()).replace(',', ''),
  );
  expect(Math.abs(rows - Number(made.figures.rows_24h))).toBeLessThan(5);
  const line = page.locator(`tr[data-network="${made.network_id}"][data-quiet="yes"]`);
  await expect(line).toBeVisible();
  await expect(page.locator('tr[data-network]').first()).toHaveAttribute('data-quiet', 'yes');
});

test('is it one replica? Most stuck numbers share a remainder', async ({ control, page }) => {
  const made = await begin(control, page, 'one-replica');
  const card = incidentOf(page, 'R13', made.network_id);
  await expect(card).toContainText('10 pending', { timeout: NEXT_LOOK_MS });
  // The eleventh is a case of its own, and counted with them where all are counted.
  await expect(card).toContainText('10 of 11 pending numbers leave the same remainder');
  await expect(standing(page)).toContainText('11 requests are stuck');
  await expect(standing(page)).toContainText('1 incident and 1 single request');
  const verdict = verdictOf(await unfold(card), 'R13');
  await expect(figureOf(verdict, 'Sharing the remainder')).toHaveText('10');
  await expect(figureOf(verdict, 'Number modulo')).toHaveText(/^2 is [01]$/);
});

test('is it one transaction? A batch says how many of it are done', async ({ control, page }) => {
  const made = await begin(control, page, 'batch');
  const card = incidentOf(page, 'R15', made.network_id);
  await expect(card).toContainText('2 pending, 1 sender', { timeout: NEXT_LOOK_MS });
  await unfold(card);
  const diagnosis = card.locator('[data-diagnosis="complete"]');
  await expect(diagnosis).toHaveAttribute('data-top-rule', 'R15', { timeout: NEXT_LOOK_MS });
  const verdict = verdictOf(diagnosis, 'R15');
  await expect(figureOf(verdict, 'Requests of this transaction')).toHaveText('6');
  await expect(figureOf(verdict, 'Done')).toHaveText('4');
  await expect(figureOf(verdict, 'Pending')).toHaveText('2');
});

for (const [name, rule] of [
  ['gave-up', 'R4'],
  ['retry-end', 'R3'],
] as const) {
  test(`stuck without a shared cause? ${name} is told by age alone`, async ({ control, page }) => {
    const made = await begin(control, page, name);
    const card = incidentOf(page, rule, made.network_id);
    await expect(card).toContainText(`3 pending, 3 senders, since ${clockOf(made.since)}`, {
      timeout: NEXT_LOOK_MS,
    });
    const verdict = verdictOf(await unfold(card), rule);
    await expect(figureOf(verdict, 'Requests of which this holds')).toHaveText('3');
    await expect(card.locator('[data-diagnosis="complete"]')).toHaveAttribute('data-top-rule', rule, {
      timeout: NEXT_LOOK_MS,
    });
  });
}

test('is it merely slow? Then nothing is stuck, and it says how long the keeper still tries', async ({
  control,
  page,
}) => {
  const made = await begin(control, page, 'slow');
  await expect(standing(page)).toContainText('Nothing is stuck', { timeout: NEXT_LOOK_MS });
  await expect(page.locator('[data-count="slow"]')).toContainText('3', { timeout: NEXT_LOOK_MS });
  await expect(incidents(page)).toHaveCount(0);
  const [request] = made.requests;
  await page.goto(`/requests/${made.network_id}/${request?.sequence}?keeper=${made.keeper}`);
  await expect(page.locator('[data-top-rule]').first()).toHaveAttribute('data-top-rule', 'R2', {
    timeout: NEXT_LOOK_MS,
  });
});

/** Scenarios about one request: the rule is on top at first sight and with all evidence, with these figures. */
const OF_ONE: [string, string, (made: Scenario['incidents'][number]) => [string, RegExp][]][] = [
  ['reorg-twin', 'R5', () => [['Completed ones among them', /^1$/]]],
  ['overtaken', 'R8', () => [['Higher numbers finished, at least', /^25$/]]],
  ['backlog', 'R10', () => [['Blocks behind the newest logged one, at least', /^1,3\d\d$/]]],
  ['gas-unusual', 'R11', () => [['Gas limit', /^20,000,000$/]]],
  ['gas-over-maximum', 'R11', () => [['Gas limit', /^700,000,000$/]]],
  ['late-recovery', 'R14', () => [['Finished late in that minute', /^6$/]]],
  [
    'gap',
    'R12',
    ({ figures }) => [
      ['Numbers not in this window', /^3$/],
      ['Which', new RegExp(String((figures.missing as number[])[0]))],
    ],
  ],
];

for (const [name, rule, figures] of OF_ONE) {
  test(`why this one? ${name} is found by ${rule}, at first sight and when it is opened`, async ({
    control,
    page,
  }) => {
    const made = await begin(control, page, name);
    const hash = made.requests[0]?.request_tx_hash ?? '';
    await expect(singleOf(page, hash)).toHaveAttribute('data-rule', rule, { timeout: NEXT_LOOK_MS });
    const diagnosis = await diagnosisOf(page, hash);
    await expect(diagnosis).toHaveAttribute('data-top-rule', rule);
    await expect(diagnosis.locator('li[data-rule]').first()).toHaveAttribute('data-rule', rule);
    const verdict = verdictOf(diagnosis, rule);
    for (const [label, value] of figures(made)) await expect(figureOf(verdict, label)).toHaveText(value);
  });
}

test('two things at once? Each has its own incident, the graver one first', async ({ control, page }) => {
  const { incidents: made } = await control.scenario('mixed-outage-and-contract');
  await page.goto('/pending');
  const [outage, contract] = made.map((one) => incidentOf(page, one.rule, one.network_id));
  await expect(contract as NonNullable<typeof contract>).toBeVisible({ timeout: NEXT_LOOK_MS });
  await expect(outage as NonNullable<typeof outage>).toBeVisible();
  await expect(incidents(page).first()).toHaveAttribute('data-rule', 'R6');
  await expect(standing(page)).toContainText('2 incidents');
});

test('a quiet network and a twin elsewhere? Both are there', async ({ control, page }) => {
  const { incidents: made } = await control.scenario('mixed-twin-and-silence');
  await page.goto('/pending');
  const [twin, silence] = made;
  await expect(incidentOf(page, 'R9', silence?.network_id ?? '')).toBeVisible({ timeout: NEXT_LOOK_MS });
  const diagnosis = await diagnosisOf(page, twin?.requests[0]?.request_tx_hash ?? '');
  await expect(diagnosis).toHaveAttribute('data-top-rule', 'R5');
});

test('everything at once? Ten thousand on fourteen networks are fourteen incidents', async ({
  control,
  page,
}) => {
  const { incidents: made } = await control.scenario('flood');
  await page.goto('/pending');
  await expect(incidents(page)).toHaveCount(made.length, { timeout: 4 * NEXT_LOOK_MS });
  for (const { network_id } of made) await expect(incidentOf(page, 'R6', network_id)).toBeVisible();
  const pending = page.locator('[data-count="pending"]');
  await expect(pending).toContainText(/10,\d\d\d/, { timeout: NEXT_LOOK_MS });
});

test('healthy? Nothing is stuck, and it says when that was checked', async ({ control, page }) => {
  await control.scenario('healthy');
  await page.goto('/pending');
  await expect(standing(page)).toContainText('Nothing is stuck', { timeout: NEXT_LOOK_MS });
  await expect(page.getByText(/^Synced \d\d:\d\d:\d\d UTC/)).toBeVisible();
  await expect(incidents(page)).toHaveCount(0);
  await expect(singleOf(page, '')).toHaveCount(0);
});
