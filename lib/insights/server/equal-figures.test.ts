import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DEFAULT_INSIGHTS_VIEW } from '@/lib/insights/view';
import { control, dashboard, triage } from '@/lib/pending/server/pending-harness';
import { stuckRowsAt, triageOf } from '@/lib/pending/server/triage';
import { pendingCounts } from '@/lib/pending/server/triage-answer';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { summaryReply } from '@/lib/requests/server/requests-endpoint';
import { closeServices, services } from '@/lib/services/services';
import { viewInsights } from './insights-endpoint';
import { problemsNow } from './problems';

/** Loading takes five seconds, and a minute or more on a shared machine. */
const LOADED_MS = 240_000;

beforeAll(async () => {
  await dashboard('rpc-outage');
  // Three requests outside of incidents are pending but not stuck. Otherwise all might be answered at that
  // moment.
  await control('POST', '/logs', {
    keeper: 'main',
    order: { kind: 'burst', count: 3, pendingS: 3600, networkIds: [42161] },
  });
  // No request comes or goes from here on. A view is of the last full two seconds up to which keepers were
  // read; the clock stops after them, because otherwise requests would become stuck or parked between two
  // figures.
  const { index, sync } = services();
  const burstMs = index.now();
  await vi.waitFor(
    () => expect(index.status().every(({ syncedAtMs }) => (syncedAtMs ?? 0) > burstMs)).toBe(true),
    LOADED_MS,
  );
  await sync.close();
  const readMs = index.now() + 2000;
  while (index.now() < readMs) await pause(100);
  await control('POST', '/clock', { stopped: true });
  for (const { name } of index.keepers) {
    index.report(name, { state: 'live', failure: null, syncedAtMs: readMs, pendingAtMs: readMs });
  }
}, LOADED_MS);
afterAll(async () => {
  await closeServices();
  replaceSettings(undefined);
});

it('“pending” and “stuck” are one figure each on the overview, in its problems, the badge, the list and the summary', {
  timeout: LOADED_MS,
}, async () => {
  const { index } = services();
  // The figures count stuck requests by the last triage.
  await triageOf(index).now();
  const { counts, activity, incidents } = await triage();
  const { pending, stuck } = counts;
  expect(pending).toBeGreaterThanOrEqual(stuck + 3);
  expect(stuck).toBeGreaterThan(20);
  const sumOf = (parts: readonly { pending?: number; stuck?: number }[]) => ({
    pending: parts.reduce((sum, part) => sum + (part.pending ?? 0), 0),
    stuck: parts.reduce((sum, part) => sum + (part.stuck ?? 0), 0),
  });
  expect(sumOf(activity)).toEqual({ pending, stuck });
  expect(await pendingCounts(index)).toMatchObject({ pending, stuck });

  const view = { ...DEFAULT_INSIGHTS_VIEW, range: '7d' } as const;
  const insights = await viewInsights(view, ['figures', 'networks']);
  if (!insights.ok) throw new Error(insights.failure.detail);
  const { figures, networks = [] } = insights.value;
  expect(figures?.pending).toMatchObject({ pending, stuck });
  expect(sumOf(networks.map((network) => network.pending))).toEqual({ pending, stuck });

  const summary = await summaryReply(stuckRowsAt)(
    new Request('http://localhost:3000/api/view/requests/summary?range=all&state=pending'),
  );
  expect(await summary.json()).toMatchObject({ total: pending, figures: { pending, stuck } });

  const { problems = [] } = (await problemsNow()) ?? {};
  const ofRequests = problems.filter(({ kind, text }) => kind === 'incident' && text.includes('stuck'));
  const sizes = incidents.map(({ size }) => size);
  const singles = counts.singles === 0 ? [] : [counts.singles];
  const reported = ofRequests.map(({ id, about, text }) =>
    Number(/[\d,]+/.exec(id === 'singles' ? about : text)?.[0]?.replace(',', '')),
  );
  expect(reported.toSorted()).toEqual([...sizes, ...singles].toSorted());
  expect(reported.reduce((sum, count) => sum + count, 0)).toBe(stuck);
  expect(
    problems.filter(({ text, about }) => /\d pending|pending requests?/i.test(`${about} ${text}`)),
  ).toEqual([]);
});
