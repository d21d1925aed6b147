import type { Page } from '@playwright/test';
import type { Control } from './control';
import { expect, test } from './dashboard';
import { openRequests, records } from './requests-page';

/** What the sandbox is told to do, and the words by which the page has to name it. */
type Answer = [fault: Record<string, unknown>, words: RegExp];

const status = (code: number) => ({ kind: 'status', status: code });
const body = (text: string) => ({ kind: 'body', body: text, contentType: 'application/json' });
const redirect = (to: string) => ({ kind: 'redirect', to });

const ANSWERS: [what: string, answers: Answer[]][] = [
  ['403', [[status(403), /rejected our key \(403\)/]]],
  ['404', [[status(404), /nothing under this request \(404\)/]]],
  [
    '500, 502 or 503',
    [
      [status(500), /failing \(500\)/],
      [status(502), /failing \(502\)/],
      [status(503), /failing \(503\)/],
    ],
  ],
  ['a web page and 200', [[{ kind: 'html' }, /an answer we cannot read/]]],
  [
    'a redirect, to the same or another host',
    [
      [redirect('/logs/test/v1/logs'), /redirects us elsewhere \(302\), which we do not follow/],
      [redirect('http://127.0.0.1:9/'), /redirects us elsewhere \(302\), which we do not follow/],
    ],
  ],
  [
    'half an answer, nothing, null or a list',
    [
      [{ kind: 'truncate' }, /broke off in the middle|an answer we cannot read/],
      [body(''), /an answer we cannot read/],
      [body('null'), /an answer we cannot read/],
      [body('[]'), /an answer we cannot read/],
    ],
  ],
  ['a closed connection', [[{ kind: 'drop' }, /closed the connection|can’t be reached|cannot be reached/]]],
];

/** Alerts that say something: the framework keeps an empty one for the names of pages. */
const alerts = (page: Page) => page.getByRole('alert').filter({ hasText: /\S/ });
const refresh = (page: Page) => page.getByRole('button', { name: /refresh/i });

/** One look asks for rows, counts and bars; a service that fails is asked no more often than one that works. */
const MOST_CALLS = 40;

async function seeStale(page: Page, control: Control, [fault, words]: Answer): Promise<void> {
  await control.forgetCalls();
  await control.fault({ service: 'logs:main', fault });
  await refresh(page).click();
  await expect(alerts(page).first()).toContainText(words);
  await expect(alerts(page).first()).toContainText(/The rows shown are stale since .*\d\d:\d\d:\d\d/);
  await expect(alerts(page).first()).not.toContainText(/<html|sandbox-key|no requests/i);
  await expect(records(page)).toHaveCount(50);
  expect((await control.calls('logs:main')).total).toBeLessThanOrEqual(MOST_CALLS);
}

/** After several failures in a row it is not asked at once, whoever presses. */
async function seeRecovery(page: Page, control: Control): Promise<void> {
  await control.noFaults();
  await expect(async () => {
    await refresh(page).click({ timeout: 1000 });
    await expect(alerts(page)).toHaveCount(0, { timeout: 1000 });
  }).toPass({ timeout: 40_000 });
  await expect(records(page)).toHaveCount(50);
}

for (const [what, answers] of ANSWERS) {
  test(`the service answers with ${what}? It says so, the rows stay, stale since when, and it recovers`, async ({
    control,
    page,
  }) => {
    test.setTimeout(120_000);
    await openRequests(page, '/requests?range=all');
    for (const answer of answers) {
      await seeStale(page, control, answer);
      await seeRecovery(page, control);
    }
  });
}

test('no headers come, or one byte a second? It says so after 10 s and after 15 s, and the rows stay', async ({
  control,
  context,
}) => {
  const [mute, slow] = await Promise.all([context.newPage(), context.newPage()]);
  await openRequests(mute, '/requests?range=all&keeper=main');
  await openRequests(slow, '/requests?range=all&keeper=test');
  await control.fault({ service: 'logs:main', fault: { kind: 'hang' } });
  await control.fault({ service: 'logs:test', fault: { kind: 'trickle' } });
  for (const page of [mute, slow]) await refresh(page).click();
  for (const page of [mute, slow]) {
    await expect(alerts(page).first()).toContainText(/within 1[05] s|in time/, { timeout: 25_000 });
    await expect(alerts(page).first()).toContainText('stale since');
    await expect(records(page)).toHaveCount(50);
  }
});
