import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_INSIGHTS_VIEW,
  formatInsightsQuery,
  INSIGHT_RANGES,
  type InsightsView,
  insightSpanMs,
  parseInsightsUrl,
} from './view';

const parse = (query: string) => parseInsightsUrl(new URLSearchParams(query));

describe('the address of the overview', () => {
  it('reads back as the same view', () => {
    const anyView = fc.record({
      range: fc.constantFrom(...INSIGHT_RANGES),
      keepers: fc.subarray(['main', 'test', 'a b&c=d'].sort()),
      networks: fc.subarray(['1', '42161', '8453']),
      between: fc.option(
        fc
          .record({ fromMs: fc.nat(2 ** 30), lengthMs: fc.integer({ min: 60_000, max: 2 ** 30 }) })
          .map(({ fromMs, lengthMs }) => ({ fromMs, toMs: fromMs + lengthMs })),
      ),
    });
    fc.assert(
      fc.property(anyView, ({ between, ...rest }) => {
        const view: InsightsView = between === null ? rest : { ...rest, between };
        expect(parse(formatInsightsQuery(view))).toEqual({ view, problems: [] });
      }),
    );
  });

  it.each<[string, Partial<InsightsView>, string[]]>([
    ['', {}, []],
    [
      'range=7d&keeper=test&network=1&network=8453',
      { range: '7d', keepers: ['test'], networks: ['1', '8453'] },
      [],
    ],
    ['network=0008453&network=8453', { networks: ['8453'] }, []],
    ['range=2h', {}, ['range']],
    ['range=1h&range=6h', { range: '1h' }, ['range']],
    ['range=toString', {}, ['range']],
    ['network=base&network=1', { networks: ['1'] }, ['network']],
    ['network=&keeper=', {}, []],
    ['rnage=7d', {}, ['rnage']],
    [
      'from=2026-11-20&to=2026-11-20T01:00Z',
      { between: { fromMs: 1_795_132_800_000, toMs: 1_795_136_400_000 } },
      [],
    ],
    ['from=2026-11-20', {}, ['to']],
    ['to=2026-11-20', {}, ['from']],
    ['from=2026-11-20&to=2026-11-20T00:00:59Z', {}, ['to']],
    ['from=yesterday&to=2026-11-20', {}, ['from']],
  ])('%s', (query, change, wrong) => {
    const { view, problems } = parse(query);
    expect(view).toEqual({ ...DEFAULT_INSIGHTS_VIEW, ...change });
    expect(problems.map(({ param }) => param)).toEqual(wrong);
  });

  it('accepts a hundred networks at most', () => {
    const { view, problems } = parse(Array.from({ length: 101 }, (_, index) => `network=${index}`).join('&'));
    expect([view.networks.length, problems.length]).toEqual([100, 1]);
  });

  it('ignores parameters of other views', () => {
    expect(parseInsightsUrl(new URLSearchParams('panel=figures'), ['panel']).problems).toEqual([]);
  });
});

it('ranges have their lengths', () => {
  expect(INSIGHT_RANGES.map((range) => insightSpanMs({ ...DEFAULT_INSIGHTS_VIEW, range }))).toEqual(
    [1, 6, 24, 168, 720].map((hours) => hours * 3_600_000),
  );
});
