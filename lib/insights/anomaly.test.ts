import { expect, it } from 'vitest';
import { anomalyLimit, anomalySentence, anomalyText, nextStepOf, withinLimits } from './anomaly';
import type { Anomaly } from './insights-response';

it.each([
  ['silent', 'no requests. Usually 300 in this time, by the days before'],
  ['busy', '1,234 requests in an hour. Usually 300, at this hour of the last 7 days'],
  ['slow', 'at this hour of the last 7 days'],
  ['failing', 'over the 7 days before the last 24 h'],
] as const)('what is usual is told with what it rests on: %s', (kind, expected) => {
  const anomaly: Anomaly = { kind, level: 'bad', value: 1234, usual: 300, sinceUs: null, sender: null };
  expect(anomalySentence(anomaly, { basis: 'week', p95Basis: 'hour', days: 7 })).toContain(expected);
});

it('high load is compared with the same hour of other days', () => {
  const busy: Anomaly = {
    kind: 'busy',
    level: 'notice',
    value: 1234,
    usual: 300,
    sinceUs: null,
    sender: null,
  };
  expect(anomalySentence(busy, { basis: 'week', p95Basis: 'none', days: 7 })).toBe(
    '1,234 requests in an hour. Usually 300, at this hour of the last 7 days',
  );
});

it('a p95 that is compared with a week is compared with the last one', () => {
  const slow: Anomaly = { kind: 'slow', level: 'bad', value: 1234, usual: 300, sinceUs: null, sender: null };
  const sentence = anomalySentence(slow, { basis: 'week', p95Basis: 'week', days: 7 });
  expect(sentence.endsWith('over the last 7 days')).toBe(true);
});

it.each([
  ['busy', 3, 'at this hour of the last 3 days'],
  ['failing', 3, 'in less than 4 days before'],
  ['failing', 0, 'in less than a day before'],
] as const)('a young network is not compared with a week: %s after %i days', (kind, days, expected) => {
  const anomaly: Anomaly = { kind, level: 'bad', value: 0.2, usual: 0.01, sinceUs: null, sender: null };
  const sentence = anomalySentence(anomaly, { basis: 'week', p95Basis: 'week', days });
  expect(sentence.endsWith(expected)).toBe(true);
});

it('names the value from which a share, a p95 or a silence is a problem', () => {
  expect(anomalyLimit('callbacks-failing')).toBe('At least 5 failures, 10% of callbacks, 3 × usual');
  expect(anomalyLimit('slow')).toBe('p95 above 10.0 s and at least 2 × usual');
  expect(anomalyLimit('silent')).toBe('At least 20 of the usual requests are missing');
});

it('the next step names the owner of a contract that has nearly all failed callbacks', () => {
  const anomaly: Anomaly = {
    kind: 'callbacks-failing',
    level: 'warning',
    value: 0.42,
    usual: 0.02,
    sinceUs: null,
    sender: `0x${'ab'.repeat(20)}`,
  };
  expect(nextStepOf(anomaly)).toBe('Send the contract’s owner one of the failed requests');
  expect(nextStepOf({ ...anomaly, sender: null })).toBe(
    'Compare the senders and reasons of the failed requests',
  );
  expect(nextStepOf({ ...anomaly, kind: 'failing' })).toBe('Compare the reasons of the failed requests');
});

it('networks within the limits are not called as usual: 4% may have been 1%', () => {
  expect(withinLimits({ networks: 9, of: 9 })).toBe(
    'No network exceeds the limits of failures, or of latency from 20 callbacks on, in the last hour.',
  );
  expect(withinLimits({ networks: 7, of: 9 })).toContain(
    'None of the 7 networks with enough requests exceeds',
  );
});

it('names the hour that was compared if the keeper was last read long ago', () => {
  const hourEndUs = Date.parse('2026-11-30T04:00:10Z') * 1000;
  const failing: Anomaly = {
    kind: 'failing',
    level: 'bad',
    value: 0.62,
    usual: 0.01,
    rows: { part: 124, of: 200 },
    sinceUs: null,
    sender: null,
  };
  expect(anomalyText(failing).text).toContain('failed in the last hour');
  expect(anomalyText({ ...failing, hourEndUs }).text).toContain(
    'failed in the hour before 2026-11-30 04:00 UTC',
  );
  const slow = { ...failing, kind: 'slow', value: 42_000_000, hourEndUs } as const;
  expect(anomalyText(slow).text).toBe('p95 42.0 s in the hour before 2026-11-30 04:00 UTC');
});
