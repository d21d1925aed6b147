import type { Page } from '@playwright/test';
import { CHAIN_ID, Evm, type SentRequest, WALLET } from './chain/evm';
import { startKeeper, type TestKeeper } from './chain/keeper';
import { type Dashboard, startDashboard } from './dashboard';
import { expect, test } from './fixtures';
import { looksWell } from './looks';
import { picture } from './pictures';
import { part } from './request-part';

const CALLS = { LOGS_CALLS_PER_S: '100', RPC_CALLS_PER_S: '100' };
/** Members of a request that is old enough to be stuck. */
const LONG_AGO = { created_at: new Date(Date.now() - 1_800_000).toISOString() };

/** Ended in reverse order. */
class Running {
  private readonly ends: (() => unknown)[] = [];

  async evm(args?: readonly string[]): Promise<Evm> {
    const evm = await Evm.start(args);
    this.ends.unshift(() => evm.stop());
    return evm;
  }

  async keeper(contract: string): Promise<TestKeeper> {
    const keeper = await startKeeper(contract);
    this.ends.unshift(() => keeper.stop());
    return keeper;
  }

  async dashboard(settings: Record<string, string>): Promise<Dashboard> {
    const dashboard = await startDashboard({ ...CALLS, ...settings });
    this.ends.unshift(() => dashboard.stop());
    return dashboard;
  }

  async stop(): Promise<void> {
    for (const end of this.ends) await end();
  }
}

const callbackFailed = ({ contribution }: SentRequest) => ({
  state: { state: 'completed', callback_failed: true, provider_random_number: contribution },
});

const pageOf = ({ origin }: Dashboard, { sequence, tx }: SentRequest, networkId = CHAIN_ID) =>
  `${origin}/requests/${networkId}/${sequence}?provider=${WALLET}&tx=${tx}`;

const verdictOf = (page: Page) => part(page, 'On-chain').locator('[data-verdict]');

type Name = 'missed' | 'reverted' | 'never' | 'retriable' | 'failing' | 'usedUp' | 'hashes' | 'tooOld';

test.describe('a request', () => {
  const running = new Running();
  let evm: Evm;
  let dashboard: Dashboard;
  let requests: Record<Name, SentRequest>;

  // The compiler of the contracts takes its time on a busy machine.
  test.beforeAll(async () => {
    test.setTimeout(240_000);
    evm = await running.evm();
    const keeper = await running.keeper(evm.contract);
    const missed = await evm.request();
    await evm.reveal(missed);
    await evm.pass(400);
    await evm.setFails(true);
    const failing = await evm.request();
    await evm.reveal(failing);
    const retriable = await evm.request();
    await evm.reveal(retriable);
    await evm.request();
    await evm.request();
    const hashes = await evm.request();
    await evm.register(0, 0);
    const reverted = await evm.request();
    const usedUp = { ...(await evm.request()), sequence: reverted.sequence + 1 };
    await evm.register(1000, 2);
    const tooOld = { ...(await evm.request()), sequence: reverted.sequence + 2 };
    await evm.register(1000, 0);
    const never: SentRequest = { ...failing, sequence: 900, tx: `0x${'77'.repeat(32)}` };
    requests = { missed, reverted, never, retriable, failing, usedUp, hashes, tooOld };
    for (const [name, request] of Object.entries(requests)) {
      const isRevealed = name === 'retriable' || name === 'failing';
      keeper.log(request, isRevealed ? callbackFailed(request) : {});
    }
    dashboard = await running.dashboard({ LOGS_URL: keeper.origin, RPC_URLS: `${CHAIN_ID}=${evm.url}` });
  });
  test.afterAll(() => running.stop());

  const CASES: Record<Name, { arrange?: () => Promise<unknown>; verdict: RegExp; note?: RegExp }> = {
    missed: { verdict: /^\s*Answered on chain in 0x\w{8}…\w{4}, the keeper’s log missed it\.$/ },
    reverted: { verdict: /^\s*The request transaction reverted: nothing was requested\.$/ },
    never: {
      verdict:
        /^\s*The request transaction is unknown to the chain up to block \d+: never mined, or reorganised away\.$/,
    },
    failing: {
      arrange: () => evm.setFails(true),
      verdict: /^\s*Callback failed and is open; a retry now would revert: Game: round is over\.$/,
    },
    retriable: {
      arrange: () => evm.setFails(false),
      verdict: /^\s*Callback failed and is open; a retry now would succeed with [\d,]+ gas\.$/,
    },
    usedUp: {
      arrange: () => evm.register(0, 0),
      verdict: /^\s*The request transaction reverted: nothing was requested\.$/,
      note: /random numbers are used up: every new request reverts \(OutOfRandomness\)\./,
    },
    hashes: {
      arrange: () => evm.register(1000, 2),
      verdict: /^\s*Still open; a reveal now would succeed with [\d,]+ gas\.$/,
      note: /The provider has 4 hashes since its last reveal, and 2 are allowed/,
    },
    tooOld: {
      verdict: /^\s*The request transaction reverted: nothing was requested\.$/,
      note: /every new request reverts \(LastRevealedTooOld\)\./,
    },
  };
  for (const name of Object.keys(CASES) as Name[]) {
    test(`the page shows its outcome: ${name}`, async ({ page }) => {
      const { arrange, verdict, note } = CASES[name];
      await arrange?.();
      await page.goto(pageOf(dashboard, requests[name]));
      await expect(verdictOf(page)).toHaveText(verdict, { timeout: 30_000 });
      if (note !== undefined) await expect(part(page, 'On-chain')).toContainText(note);
      await looksWell(page);
      await picture(page, name);
    });
  }
});

test('an RPC of another chain is refused by name', async ({ page }) => {
  test.setTimeout(240_000);
  const running = new Running();
  try {
    const evm = await running.evm();
    const keeper = await running.keeper(evm.contract);
    const request = await evm.request();
    keeper.log(request, { network_id: '42161' });
    const dashboard = await running.dashboard({ LOGS_URL: keeper.origin, RPC_URLS: `42161=${evm.url}` });
    await page.goto(pageOf(dashboard, request, 42161));
    const { host } = new URL(evm.url);
    const refusal = `RPC ${host} is of chain 8453, not of 42161: it is not used. Check RPC_URLS.`;
    await expect(part(page, 'On-chain')).toContainText(`The chain was not queried: ${refusal}`, {
      timeout: 30_000,
    });
    await expect(page.getByText(/No outcome logged\.$/)).toBeVisible();
    await picture(page, 'other-chain');
  } finally {
    await running.stop();
  }
});

test('a chain without new blocks is the cause of stuck requests', async ({ page }) => {
  test.setTimeout(240_000);
  const running = new Running();
  try {
    const evm = await running.evm(['--timestamp', String(Math.floor(Date.now() / 1000) - 3600)]);
    const keeper = await running.keeper(evm.contract);
    const request = await evm.request();
    keeper.log(request, LONG_AGO);
    keeper.hidesRevelations = true;
    const dashboard = await running.dashboard({
      LOGS_URL: keeper.origin,
      RPC_URLS: `${CHAIN_ID}=${evm.url}`,
    });
    await page.goto(pageOf(dashboard, request));
    await expect(verdictOf(page)).toHaveText(
      /^\s*Newest block is (59|1 h|60).* old: the chain has stopped or makes no blocks without transactions, or the RPC is behind\.$/,
      { timeout: 30_000 },
    );
    await picture(page, 'stopped');
    await page.goto(`${dashboard.origin}/pending`);
    await expect(page.getByText('No new blocks').filter({ visible: true }).first()).toBeVisible({
      timeout: 30_000,
    });
    await picture(page, 'stopped-list');
  } finally {
    await running.stop();
  }
});

test('an empty wallet, hanging transactions and used up numbers are problems on the overview, and causes of stuck requests', async ({
  page,
}) => {
  test.setTimeout(360_000);
  const running = new Running();
  try {
    const evm = await running.evm();
    const keeper = await running.keeper(evm.contract);
    for (let count = 0; count < 3; count++) {
      const request = await evm.request();
      const { transactionHash, gasUsed } = await evm.reveal(request);
      const state = {
        state: 'completed',
        callback_failed: false,
        reveal_tx_hash: transactionHash,
        gas_used: String(Number(gasUsed)),
        provider_random_number: request.contribution,
      };
      keeper.log(request, { state });
    }
    keeper.log(await evm.request(), LONG_AGO);
    await evm.register(0, 0);
    await evm.setBalance(10n ** 15n);
    await evm.hang();
    await evm.setBalance(1_000_000_000n);
    const dashboard = await running.dashboard({
      LOGS_URL: keeper.origin,
      RPC_URLS: `${CHAIN_ID}=${evm.url}`,
    });
    await page.goto(dashboard.origin);
    const problems = page.locator('[data-problem="chain"]');
    await expect(problems.filter({ hasText: 'can’t pay for 50 reveals' })).toBeVisible({ timeout: 60_000 });
    await expect(problems.filter({ hasText: 'random numbers are used up' })).toBeVisible();
    await page.goto(`${dashboard.origin}/pending`);
    await expect(page.getByText('Wallet empty').filter({ visible: true }).first()).toBeVisible({
      timeout: 30_000,
    });
    await picture(page, 'wallet-list');
    await page.goto(dashboard.origin);
    await expect(problems.filter({ hasText: '1 transaction hangs in the keeper’s wallet' })).toBeVisible({
      timeout: 200_000,
    });
    const row = page.locator(`[data-chain="${CHAIN_ID}"]`);
    await expect(row).toContainText('1 transaction hangs', { timeout: 70_000 });
    await looksWell(page, `[data-chain="${CHAIN_ID}"]`);
    await picture(page, 'wallet');
  } finally {
    await running.stop();
  }
});
