import { afterAll, afterEach, expect, test } from 'vitest';
import { replaceSettings } from '@/lib/server/current-settings';
import { closeServices } from '@/lib/server/services';
import { dashboard, diagnosis, triage } from './triage-dashboard';
import { sharedTriage } from './triage-shared';

afterEach(closeServices);
afterAll(() => replaceSettings(undefined));

const SEEDS = Array.from({ length: 20 }, (_, index) => 1 + index * 7919);
/** Pending requests of a keeper whose whole diagnosis is asked for. */
const LOOKED_AT = 2;

function somePending() {
  return ['main', 'test'].flatMap((keeper) => {
    const pending = sharedTriage().gatherer.pendingOf(keeper);
    return pending?.kind === 'known' ? pending.value.rows.slice(0, LOOKED_AT) : [];
  });
}

/** A dashboard of its own for each takes a second or two, on a busy machine many more. */
const TIMEOUT_MS = 90_000;

test.each(SEEDS)('seed %i: no incident, and none of R3 to R10', { timeout: TIMEOUT_MS }, async (seed) => {
  const report = await dashboard('healthy', { SANDBOX_SEED: String(seed), SANDBOX_RECORDS: '300' });
  expect(report).toMatchObject({ rows: 0, incidents: [] });
  const answer = await triage();
  expect(answer).toMatchObject({ state: 'complete', troubles: [], incidents: [], singles: [] });
  expect(answer.standing.kind).toBe('nothing-stuck');
  const { counts, silence } = answer;
  expect(counts).toMatchObject({ stuck: 0, slow: 0, missing: 0, unreadable: 0 });
  expect(silence.map(({ quiet, stuck }) => [quiet.holds === 'yes', stuck])).toEqual(
    silence.map(() => [false, 0]),
  );
  for (const { keeper, networkId, provider, sequence, requestTxHash = '' } of somePending()) {
    const request = { keeper, network_id: networkId, ...(provider === undefined ? {} : { provider }) };
    const found = await diagnosis(request, { sequence: Number(sequence), request_tx_hash: requestTxHash });
    expect(found.state).toBe('complete');
    const held = found.diagnosis?.verdicts.filter(({ holds }) => holds === 'yes').map(({ rule }) => rule);
    expect(held?.filter((rule) => /^R([3-9]|10)$/.test(rule))).toEqual([]);
  }
});
