import { describe, expect, it } from 'vitest';
import type { Facet } from '@/lib/client/facets';
import { facetTicks, facetWords } from './facet-ticks';

const failure = { kind: 'rejected', service: 'logs', detail: 'The chain id is not supported' } as const;
const TICKS = [
  { value: '1', label: 'Ethereum' },
  { value: '10', label: 'Optimism' },
  { value: '8453', label: 'Base' },
];
const facet = (change: Partial<Facet> = {}): Facet => ({ counts: new Map(), complete: true, ...change });
const total = (value: string, digits: string) => new Map([[value, { total: digits }]]);

describe('the values of a filter', () => {
  it('carry the counts that are known, and say which are still to come', () => {
    const known = facet({ counts: total('1', '1234'), complete: false });
    expect(facetTicks('network', TICKS, known, []).map(({ figure }) => figure)).toEqual(['1,234', '…', '…']);
    expect(facetTicks('network', TICKS, { ...known, complete: true }, [])[1]?.figure).toBe('–');
  });

  it('bar what the keeper does not serve, at the end', () => {
    const known = facet({ counts: new Map([['10', { problem: failure }]]) });
    expect(facetTicks('network', TICKS, known, ['10'])[0]).toMatchObject({ value: '10', standing: 'barred' });
    expect(facetTicks('network', TICKS, known, [])[2]).toEqual({
      value: '10',
      label: 'Optimism',
      standing: 'barred',
      note: 'not served',
    });
  });

  it('stand with the chosen ones first, and with found ones at the end', () => {
    const known = facet({ counts: total('777', '5') });
    expect(facetTicks('network', TICKS, known, ['8453']).map(({ label }) => label)).toEqual([
      'Base',
      'Ethereum',
      'Optimism',
      'Network 777',
    ]);
  });

  it('show the states without a word of ours as one that cannot be asked for', () => {
    const known = facet({ counts: total('unknown', '3') });
    expect(facetTicks('state', [], known, [])).toEqual([
      {
        value: 'unknown',
        label: 'Other states',
        standing: 'barred',
        note: 'cannot be asked for',
        figure: '3',
      },
    ]);
  });
});

describe('the line below', () => {
  it('says what none means, and how far the counting is', () => {
    expect(facetWords('network', facet({ complete: false }), 0)).toBe('None chosen: all networks. Counting…');
    expect(facetWords('state', facet(), 2)).toBe('2 chosen.');
    expect(facetWords('state', facet({ failure }), 1)).toBe(
      '1 chosen. Counts are missing: The chain id is not supported',
    );
  });
});
