import { expect, it } from 'vitest';
import { auditLabel } from './audit-label';

const audit = { atMs: 1_800_000_000_000, ours: 12, theirs: 12, agrees: true };
const after = (minutes: number) => audit.atMs + minutes * 60_000;

it.each([
  ['never made', null, after(0), 'Not compared yet', undefined],
  ['of a minute ago', audit, after(1), 'Counts match', 'good'],
  ['of a minute ago that differs', { ...audit, agrees: false }, after(1), 'Counts differ', 'bad'],
  ['of ten minutes ago', audit, after(10), 'Counts match', 'good'],
  ['of eleven minutes ago', audit, after(11), 'Counts matched, stale', 'wait'],
  ['of hours ago that differed', { ...audit, agrees: false }, after(300), 'Counts differed, stale', 'wait'],
  ['before the time is known', audit, undefined, 'Counts match', undefined],
] as const)('an audit %s', (_what, comparison, nowMs, text, tone) => {
  expect(auditLabel(comparison, nowMs)).toEqual({ text, tone });
});
