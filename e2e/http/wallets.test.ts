import { expect, test } from 'vitest';
import { CHAIN_ID, Evm, type SentRequest, WALLET } from '@/e2e/chain/evm';
import { startKeeper } from '@/e2e/chain/keeper';
import { startDashboard } from '@/e2e/dashboard';

type Chain = {
  failure: string | null;
  revealWei: string;
  wallets: {
    address: string;
    balanceWei: string;
    spentPerDayWei: string;
    daysLeft: number;
    nonceGap: number;
  }[];
  providers: { numbersLeft: string; requestsPerDay: number; daysLeft: number; hashes: string }[];
};

// The dashboard queries the chain 5 s after its start, and the compiler is slow on a busy machine.
test('days left equal a calculation by hand; an empty wallet is a problem, and a transaction that hangs is counted', async () => {
  const evm = await Evm.start();
  const keeper = await startKeeper(evm.contract);
  await evm.register(100, 0);
  const revealed: [SentRequest, object][] = [];
  let cost = 0n;
  for (let count = 0; count < 3; count++) {
    const request = await evm.request();
    const { transactionHash, gasUsed, effectiveGasPrice } = await evm.reveal(request);
    cost += BigInt(gasUsed) * BigInt(effectiveGasPrice);
    const state = {
      state: 'completed',
      callback_failed: false,
      reveal_tx_hash: transactionHash,
      gas_used: String(Number(gasUsed)),
      provider_random_number: request.contribution,
    };
    revealed.push([request, { state }]);
  }
  // Each row 24 times. The first one is a day old, because a shorter log tells no days.
  for (let copy = 0; copy < 24; copy++) {
    for (const [at, [request, members]] of revealed.entries()) {
      const createdMs = Date.now() - (copy + at === 0 ? 86_400_000 : 0);
      const created = new Date(createdMs).toISOString();
      const tx: SentRequest['tx'] = `0x${String(copy * 3 + at + 1).padStart(64, '0')}`;
      const times = { created_at: created, last_updated_at: created };
      keeper.log({ ...request, tx, sequence: copy * 3 + at + 1 }, { ...members, ...times });
    }
  }
  // The balance lasts for 1.5 days.
  await evm.setBalance(cost * 36n);
  await evm.hang();
  const settings = { LOGS_URL: keeper.origin, RPC_URLS: `${CHAIN_ID}=${evm.url}`, RPC_CALLS_PER_S: '100' };
  const dashboard = await startDashboard(settings);
  const get = async (path: string) => (await fetch(`${dashboard.origin}${path}`)).json();
  try {
    const chains = async (): Promise<Chain[]> => (await get('/api/view/chains')).chains;
    await expect.poll(async () => (await chains()).length, { timeout: 40_000 }).toBe(1);
    const [chain] = await chains();
    const [wallet] = chain?.wallets ?? [];
    expect(wallet).toMatchObject({ address: WALLET, balanceWei: String(cost * 36n), nonceGap: 1 });
    // The gas price differs from block to block on this EVM; all gas is counted at the mean price of sampled reveals.
    expect(wallet?.daysLeft).toBeGreaterThan(1.4);
    expect(wallet?.daysLeft).toBeLessThan(1.6);
    const perReveals = Number(wallet?.spentPerDayWei) / 24;
    expect(Math.abs(perReveals - Number(cost)) / Number(cost)).toBeLessThan(0.05);
    // 3 of 100 are used, at 72 requests per day.
    expect(chain?.providers).toMatchObject([{ numbersLeft: '97', daysLeft: 1.34, hashes: '1' }]);
    expect(chain?.providers[0]?.requestsPerDay).toBeCloseTo(72, 0);
    const problems = async (): Promise<string[]> => {
      const answer = await get('/api/view/insights/problems');
      return answer.problems.map(({ level, text }: { level: string; text: string }) => `${level}: ${text}`);
    };
    const texts = await problems();
    expect(texts.join()).toMatch(/warning: keeper’s wallet lasts 1\.[45] days/);
    expect(texts).toContain('warning: random numbers last 1.3 days');
    const metrics = await (await fetch(`${dashboard.origin}/api/metrics`)).text();
    const place = `keeper="main",network_id="${CHAIN_ID}",network="Base"`;
    expect(metrics).toContain(`keeperscope_wallet_balance_wei{${place}} ${Number(cost * 36n)}`);
    expect(metrics).toContain(`keeperscope_random_numbers_left{${place}} 97`);
    // It hangs only after two minutes.
    expect(metrics).toContain(`keeperscope_wallet_nonce_gap{${place}} 0`);
    expect(metrics).toMatch(/keeperscope_chain_head_age_seconds\{[^}]+\} \d/);
    await evm.setBalance(1n);
    const empty = 'bad: keeper’s wallet can’t pay for 50 reveals';
    await expect.poll(problems, { timeout: 90_000, interval: 1000 }).toContain(empty);
  } finally {
    await dashboard.stop();
    keeper.stop();
    await evm.stop();
  }
}, 240_000);
