import { describe, expect, test } from 'vitest';
import { NOW, Rules, ScenarioHarness } from './rules-harness';

const MINUTE = 60_000;
const SEEDS = Array.from({ length: 20 }, (_, index) => 1 + index * 7919);
/** Looked at right away, and as the clock goes on. */
const LATER_MS = [0, 7 * MINUTE, 31 * MINUTE, 95 * MINUTE];

describe('healthy', () => {
  test.each(SEEDS)('seed %i: no rule but R1 for any pending request, no network is silent', async (seed) => {
    // Few and many rows of the past, at any time of the day.
    const startMs = NOW + (seed % 24) * 60 * MINUTE;
    const harness = await ScenarioHarness.start(seed, seed % 3 === 0 ? 10_000 : 300, startMs);
    expect(await harness.scenario('healthy')).toMatchObject({ rows: 0, networks: [], incidents: [] });
    let seen = 0;
    for (const laterMs of LATER_MS) {
      const nowMs = startMs + laterMs;
      await harness.control('POST', '/clock', { stopped: true, set: new Date(nowMs).toISOString() });
      const rows = await harness.lastDay(nowMs);
      const rules = new Rules(rows, nowMs);
      expect(rules.networks.length).toBe(19);
      expect(rules.networks.filter((network) => rules.isSilent(network))).toEqual([]);
      const pending = rows.filter(({ state }) => state.state === 'pending');
      seen += pending.length;
      for (const row of pending) expect(rules.of(row)).toEqual(['R1']);
      for (const keeper of ['main', 'test'] as const) {
        const before = `state=Pending&max_timestamp=${new Date(nowMs - MINUTE).toISOString()}`;
        expect((await harness.list(keeper, before)).total_results).toBe(0);
      }
    }
    expect(seen).toBeGreaterThan(0);
    await harness.sandbox.close();
  });
});
