import { afterAll, afterEach, expect, test } from 'vitest';
import { replaceSettings } from '@/lib/server/current-settings';
import { closeServices } from '@/lib/server/services';
import { realTimers } from '@/lib/upstream/timers';
import { control, dashboard, diagnosis, type Report, triage } from './triage-dashboard';
import { sharedTriage } from './triage-shared';

afterEach(closeServices);
afterAll(() => replaceSettings(undefined));

/** Long enough that a look that is known to be wrong may be repeated. */
const AGAIN_MS = 1600;

/** The state of things after a new look, however young the one before. */
async function lookAgain() {
  await new Promise<void>((resolve) => {
    realTimers.after(AGAIN_MS, resolve);
  });
  await sharedTriage().gatherer.ask('latest');
  return triage();
}

test('a world that takes the place of another leaves nothing of it in any verdict', {
  timeout: 90_000,
}, async () => {
  await dashboard('silence');
  expect((await triage()).incidents.map(({ rule }) => rule)).toEqual(['R9']);
  const overtaken = (await control('POST', '/scenario', { name: 'overtaken' })) as Report;
  const [incident] = overtaken.incidents;
  const [request] = incident?.requests ?? [];
  if (incident === undefined || request === undefined) throw new Error('nothing is overtaken');
  // Asked for at once: what was known of the network and of all pending requests is of the world before.
  const found = await diagnosis(incident, request);
  const held = found.diagnosis?.verdicts.filter(({ holds }) => holds === 'yes').map(({ rule }) => rule);
  expect(held).not.toContain('R9');
  expect(found.diagnosis?.top?.rule).toBe('R8');
  const now = await lookAgain();
  expect(now.incidents).toEqual([]);
  expect(now.singles.map(({ rule, sequence }) => [rule, sequence])).toEqual([
    ['R8', String(request.sequence)],
  ]);
  await control('POST', '/scenario', { name: 'healthy' });
  const calm = await lookAgain();
  expect(calm).toMatchObject({ state: 'complete', incidents: [], singles: [] });
  expect(calm.standing.kind).toBe('nothing-stuck');
});
