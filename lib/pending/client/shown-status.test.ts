import { expect, test } from 'vitest';
import type { TriageAnswer } from '@/lib/pending/pending-response';
import { shownStatus } from './shown-status';

test('heading and detail count the same incidents, without acknowledged ones', () => {
  const answer = {
    state: 'complete',
    status: { kind: 'stuck', incidents: 1, singles: 0, requests: 3 },
    counts: { incidents: 3, acknowledgedIncidents: 1, slow: 0 },
  } as TriageAnswer;
  const counts = {
    kind: 'stuck',
    isWhole: true,
    stuck: 3,
    acknowledged: 10,
    parked: 0,
    worst: 'warning',
  } as const;
  expect(shownStatus({ answer, trouble: undefined }, counts)).toMatchObject({
    title: '3 requests are stuck',
    detail: '1 incident. 1 network quiet. 10 acknowledged, in 1 incident.',
  });
});
