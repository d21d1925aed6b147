import { describe, expect, it } from 'vitest';
import { samplePoint } from '@/lib/client/feed-samples-known';
import { gapsInView, marksInView, shadesOf } from './page-shades';

const rules = { silentAfterS: 5, foldedS: 0 };
const all = { fromMs: 0, toMs: 1_000_000 };
const point = (t: number, pp: number) => samplePoint({ id: 'a', p: '1', c: '1', e: 0, t, pp, r: 0 });

describe('what is shaded', () => {
  it('tells what we missed from what the feed did not publish', () => {
    const live = [point(100, 99), point(101, 100), point(120, 119), point(160, 120)];
    expect(gapsInView({ points: live, receivedFromS: 0 }, [], rules, all)).toEqual([
      { kind: 'missed', fromS: 101, untilS: 119 },
      { kind: 'silent', fromS: 120, untilS: 160 },
    ]);
  });

  it('calls nothing missed from before the stream stood, since nobody was to receive it', () => {
    const points = [point(100, 99), point(110, 109), point(120, 119)];
    const gapsFrom = (receivedFromS: number | undefined) =>
      gapsInView({ points, receivedFromS }, [], rules, all);
    expect(gapsFrom(110)).toEqual([{ kind: 'missed', fromS: 110, untilS: 119 }]);
    expect(gapsFrom(115)).toEqual([{ kind: 'missed', fromS: 115, untilS: 119 }]);
    expect(gapsFrom(undefined)).toEqual([]);
    const silent = [point(100, 99), point(160, 100)];
    expect(gapsInView({ points: silent, receivedFromS: 160 }, [], rules, all)).toEqual([
      { kind: 'silent', fromS: 100, untilS: 160 },
    ]);
  });

  it('knows of the past only where the feed was silent, up to what the stream brought', () => {
    const silences = [
      { fromS: 10, untilS: 40 },
      { fromS: 90, untilS: 400 },
    ];
    expect(gapsInView({ points: [point(100, 99)], receivedFromS: 0 }, silences, rules, all)).toEqual([
      { kind: 'silent', fromS: 10, untilS: 40 },
      { kind: 'silent', fromS: 90, untilS: 100 },
    ]);
  });

  it('ends at the edges of the window', () => {
    const window = { fromMs: 20_000, toMs: 30_000 };
    const gaps = gapsInView(
      { points: [], receivedFromS: 0 },
      [
        { fromS: 10, untilS: 40 },
        { fromS: 50, untilS: 60 },
      ],
      rules,
      window,
    );
    expect(shadesOf(gaps, window)).toEqual([{ kind: 'silent', fromMs: 20_000, toMs: 30_000 }]);
  });
});

describe('marks', () => {
  it('stand where the connection was back, and only at the feeds that they concern', () => {
    const marks = [
      { key: '1', kind: 'outage' as const, fromMs: 1_000, untilMs: 13_000 },
      { key: '2', kind: 'host' as const, fromMs: 20_000, host: 'upgraded' as const, ids: ['b'] },
    ];
    expect(marksInView(marks, 'a', all)).toEqual([
      { key: '1', kind: 'outage', atMs: 13_000, words: 'Reconnected after 12 s' },
    ]);
    expect(marksInView(marks, 'b', all).map(({ words }) => words)).toEqual([
      'Reconnected after 12 s',
      'Now from the second host',
    ]);
  });

  it('says of a close that was over at once no length', () => {
    const mark = { key: '1', kind: 'planned', fromMs: 1_000, untilMs: 1_600 } as const;
    expect(marksInView([mark], 'a', all)[0]?.words).toBe('Planned close, reconnected within a second');
  });
});
