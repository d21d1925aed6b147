import { describe, expect, test } from 'vitest';
import type { Failure } from './outcome';
import { type UnixSeconds, unixMillis } from './units';
import { CUTOVER_MS, type UpgradeEvidence, type UpgradeSide } from './upgrade-check';
import {
  answered,
  body,
  element,
  evidenceOf,
  FEED_A,
  FEED_B,
  pairOf,
  payload,
  soundEvidence,
} from './upgrade-check-fixture';
import { judgeUpgrade } from './upgrade-check-verdict';

const BEFORE = unixMillis(CUTOVER_MS - 1);
const AFTER = CUTOVER_MS;

const refused: Failure = { kind: 'unauthorized', service: 'upgraded', detail: 'no' };
const failedSide: UpgradeSide = { kind: 'failed', failure: refused, tookMs: 3 };
const skipped: UpgradeSide = { kind: 'skipped', failure: refused };

function fitsOf(evidence: UpgradeEvidence) {
  return judgeUpgrade(evidence, AFTER).fits.map(
    ({ contract, host, verifies }) => `${host} on ${contract}: ${verifies}`,
  );
}

test('the cutover is 26 August 2026, 16:00 UTC', () => {
  expect(new Date(CUTOVER_MS).toISOString()).toBe('2026-08-26T16:00:00.000Z');
});

describe('two hosts that agree in all else', () => {
  test.each([
    ['upgraded', 'upgraded', AFTER, 'none', /^Upgraded: both hosts/],
    ['upgraded', 'upgraded', BEFORE, 'notice', /^Upgraded ahead of the cutover/],
    ['before-upgrade', 'upgraded', BEFORE, 'notice', /^Before the cutover, as planned/],
    ['before-upgrade', 'upgraded', AFTER, 'critical', /^The old host is behind/],
    ['before-upgrade', 'before-upgrade', BEFORE, 'warning', /^Not upgraded/],
    ['before-upgrade', 'before-upgrade', AFTER, 'critical', /^Not upgraded/],
    ['upgraded', 'before-upgrade', BEFORE, 'critical', /^Not upgraded/],
    ['unknown', 'upgraded', AFTER, 'warning', /^Unclear/],
    ['upgraded', 'unknown', AFTER, 'warning', /^Unclear/],
  ] as const)(
    '%s on the old and %s on the upgraded one, at %d: %s',
    (old, upgraded, now, severity, title) => {
      const verdict = judgeUpgrade(soundEvidence(old, upgraded), now);
      expect(verdict.title).toMatch(title);
      expect(verdict.severity).toBe(severity);
      expect(verdict.reasons.length).toBeGreaterThan(2);
    },
  );

  test('of both generations are mixed, and say which contract takes which', () => {
    expect(fitsOf(soundEvidence('before-upgrade', 'upgraded'))).toEqual([
      'old on old: yes',
      'upgraded on old: no',
      'old on upgraded: no',
      'upgraded on upgraded: yes',
    ]);
  });

  test('tell each client what to do', () => {
    const both = judgeUpgrade(soundEvidence('upgraded', 'upgraded'), AFTER).advice;
    expect(both.upgraded).toBe('Either host will do.');
    expect(both.old).toContain('move to the upgraded contract');
    const waiting = judgeUpgrade(soundEvidence('before-upgrade', 'upgraded'), BEFORE).advice;
    expect(waiting.old).toContain('Use the old host only');
    expect(waiting.upgraded).toContain('Use the upgraded host only');
    const unclear = judgeUpgrade(soundEvidence('unknown', 'unknown'), AFTER).advice;
    expect(unclear.old).toContain('keep whichever verifies');
  });
});

describe('a host that gives payloads of both generations', () => {
  test('is critical, and its payloads verify sometimes', () => {
    const sound = soundEvidence('upgraded', 'upgraded');
    const [latest, ...rest] = sound.pairs;
    if (latest?.old.kind !== 'answered') throw new Error('no answer');
    const old = { ...latest.old, payloads: [payload('upgraded'), payload('before-upgrade')] };
    const evidence = { ...sound, pairs: [{ ...latest, old }, ...rest] };
    expect(judgeUpgrade(evidence, AFTER).severity).toBe('critical');
    expect(fitsOf(evidence)).toContain('old on old: sometimes');
  });

  test('is not one whose old payload belongs to a second before the cutover', () => {
    const sound = soundEvidence('upgraded', 'upgraded');
    const text = body(element(FEED_A), element(FEED_B));
    const history = pairOf('at-time', answered(text, 'before-upgrade'), answered(text, 'before-upgrade'));
    const pairs = sound.pairs.map((pair) => (pair.route === 'at-time' ? history : pair));
    const evidence = { ...sound, at: (CUTOVER_MS / 1000 - 60) as UnixSeconds, pairs };
    expect(judgeUpgrade(evidence, AFTER)).toMatchObject({
      severity: 'none',
      generations: { old: 'upgraded' },
    });
  });
});

describe('what spoils a good verdict', () => {
  const text = body(element(FEED_A), element(FEED_B));
  const good = answered(text, 'upgraded');
  const onBoth = (upgraded: UpgradeSide) =>
    judgeUpgrade(evidenceOf(pairOf('at-time', good, upgraded)), AFTER);

  test('is a price that differs by more than the combined confidence', () => {
    const verdict = onBoth(answered(body(element(FEED_A, { price: '1021' }), element(FEED_B)), 'upgraded'));
    expect(verdict.severity).toBe('critical');
    expect(verdict.title).toContain('but one thing is wrong');
    expect(verdict.reasons[0]?.words).toContain('more than the combined confidence');
  });

  test('is a member that is missing, and much less one that is added', () => {
    const missing = { ...element(FEED_A), ema_price: undefined };
    expect(onBoth(answered(body(missing, { ...missing, id: FEED_B }), 'upgraded')).severity).toBe('warning');
    const more = (feed: typeof FEED_A) => ({ ...element(feed), later: true });
    const added = onBoth(answered(body(more(FEED_A), more(FEED_B)), 'upgraded'));
    expect(added.severity).toBe('notice');
    expect(added.findings[0]?.differences).toMatchObject([{ kind: 'added', path: 'parsed[].later' }]);
  });

  test('is another update for the same second', () => {
    const later = answered(body(element(FEED_A, { at: 1_790_000_009 }), element(FEED_B)), 'upgraded');
    expect(onBoth(later).reasons[0]?.words).toContain('different publish times');
  });

  test('is a payload that proves nothing', () => {
    const broken = { ...payload('upgraded'), standing: 'broken' as const };
    const side: UpgradeSide = { kind: 'answered', text, tookMs: 1, payloads: [broken] };
    expect(onBoth(side).severity).toBe('critical');
  });

  test('is not that one host lacks a feed that the other has: its members are compared for the rest', () => {
    const verdict = onBoth(answered(body(element(FEED_A)), 'upgraded'));
    expect(verdict.findings[0]).toMatchObject({ differences: [], onlyOld: [FEED_B] });
    expect(verdict.missing.join()).toContain('feed bbbbbb…bbbb on the upgraded host');
  });
});

describe('a part of the answers', () => {
  test('of one host alone is half a check, which says why and what was not asked', () => {
    const text = body(element(FEED_A), element(FEED_B));
    const evidence = evidenceOf(
      pairOf('latest', answered(text, 'upgraded'), failedSide),
      pairOf('at-time', answered(text, 'upgraded'), skipped),
    );
    const verdict = judgeUpgrade(evidence, AFTER);
    expect(verdict.title).toContain('Half a check: only the old host');
    expect(verdict.severity).toBe('critical');
    expect(verdict.reasons.map(({ words }) => words)).toContain('The upgraded host refused our key');
    expect(verdict.missing.join()).toContain('not asked after the first failure');
    expect(fitsOf(evidence)).toContain('upgraded on upgraded: unknown');
  });

  test('of neither host concludes nothing', () => {
    const verdict = judgeUpgrade(evidenceOf(pairOf('latest', failedSide, failedSide)), AFTER);
    expect(verdict.title).toContain('Nothing can be concluded');
    expect(verdict.advice.upgraded).toContain('can’t be told');
  });

  test('that is no JSON does not throw', () => {
    const evidence = evidenceOf(pairOf('latest', answered('<html>', 'none'), answered('{', 'none')));
    expect(judgeUpgrade(evidence, AFTER).severity).toBe('critical');
  });
});
