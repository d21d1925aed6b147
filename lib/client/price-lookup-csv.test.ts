import { describe, expect, it } from 'vitest';
import { unixMicros } from '@/lib/domain/units';
import { cellKey, type LookupCell } from './price-lookup';
import { lookupCsv, lookupFileName } from './price-lookup-csv';
import { askAbout, numberedFeed } from './price-lookup-fakes';
import { lookupRows } from './price-lookup-rows';
import { IDLE_LOOKUP, type LookupState } from './price-lookup-state';
import { noPriceWords, rowVerdictText } from './price-lookup-words';

const NOON = unixMicros(1_795_176_000_000_000n);
const feed = numberedFeed(1, { symbol: '=Feed,1' });
const ask = askAbout(1, {
  feeds: [feed],
  at: NOON,
  options: { sources: ['updates', 'upgraded', 'router'] },
});

function quote(mantissa: bigint, conf?: bigint): LookupCell {
  return {
    kind: 'quote',
    quote: {
      price: { mantissa, expo: -2 },
      ...(conf === undefined ? {} : { conf: { mantissa: conf, expo: -2 } }),
      publishUs: unixMicros(NOON + 400_000n),
      askedUs: NOON,
      receivedMs: 0,
      facts: [
        { name: 'slot', value: '7', form: 'text' },
        { name: 'vaa', value: 'AAAA', form: 'payload' },
      ],
    },
  };
}

function rowsOf(cells: readonly (LookupCell | undefined)[], phase: LookupState['phase'] = 'ended') {
  const filled = ask.options.sources.flatMap((source, at): [string, LookupCell][] => {
    const cell = cells[at];
    return cell === undefined ? [] : [[cellKey(feed, source), cell]];
  });
  return lookupRows(ask, { ...IDLE_LOOKUP, phase, ask, cells: new Map(filled) });
}

const refused: LookupCell = {
  kind: 'failed',
  failure: { kind: 'missing', service: 'router', detail: '=cmd|"x"' },
};

describe('a lookup as CSV', () => {
  it('holds every digit, the comparison, and failures with their reason', () => {
    const lines = lookupCsv(rowsOf([quote(-1_000n, 3n), quote(-1_010n, 4n), refused]), 'complete').split(
      '\n',
    );
    const about = `"'=Feed,1",${feed.feedId},1`;
    const published = '2026-11-20T12:00:00.4Z,1795176000400000,400000';
    expect(lines[1]).toBe(
      `2026-11-20T12:00:00Z,${about},updates,price,,-10.00,0.03,,,${published},,,,,,slot=7`,
    );
    expect(lines[2]).toBe(
      `2026-11-20T12:00:00Z,${about},upgraded,price,,-10.10,0.04,,,${published},updates,-0.10,-100.00,0.07,beyond,slot=7`,
    );
    expect(lines[3]).toBe(`2026-11-20T12:00:00Z,${about},router,not found,"'=cmd|""x""",,,,,,,,,,,,,`);
    expect(lines.slice(4)).toEqual(['# rows: 3', '# complete: yes', '']);
    const columns = lines[0]?.split(',').length;
    expect(lines[1]?.replace('"\'=Feed,1"', 'x').split(',')).toHaveLength(columns ?? 0);
  });

  it('runs no formula of a service where cells are split at semicolons', () => {
    const failure = { kind: 'missing', service: 'router', detail: 'no;=cmd' } as const;
    const text = lookupCsv(rowsOf([quote(1n), quote(1n), { kind: 'failed', failure }]), 'complete');
    expect(text).toContain("not found,no;'=cmd,");
  });

  it('says what is missing', () => {
    const text = lookupCsv(rowsOf([quote(1n)], 'cancelled'), 'incomplete');
    expect(text).toContain(',upgraded,cancelled,');
    expect(text).toContain('# complete: no');
    expect(lookupFileName(Date.parse('2026-11-20T08:05:03Z'), 'csv')).toBe('prices-20261120T080503Z.csv');
  });
});

describe('words of a lookup', () => {
  it('name the pair that disagrees, by how much, and what it is held against', () => {
    const [row] = rowsOf([quote(1_000n, 3n), quote(1_010n, 4n), quote(1_003n, 1n)]);
    expect(row && rowVerdictText(row)).toBe(
      'Upgraded and Updates: 100.00 bp apart, more than their combined confidence of 70.00 bp.',
    );
    const [within] = rowsOf([quote(1_000n, 3n), quote(1_001n, 4n)]);
    expect(within && rowVerdictText(within)).toMatch(/10.00 bp apart, within their combined/);
    const [untold] = rowsOf([quote(1_000n, 3n), quote(1_001n)]);
    expect(untold && rowVerdictText(untold)).toMatch(/one tells no confidence/);
    const [equal] = rowsOf([quote(1_000n, 3n), quote(1_000n)]);
    expect(equal && rowVerdictText(equal)).toBeUndefined();
  });

  it('give each missing price its reason, a stranger’s text made harmless', () => {
    expect(noPriceWords(refused, 'router')).toMatchObject({ title: 'Not found', said: '=cmd|"x"' });
    const hidden: LookupCell = {
      kind: 'failed',
      failure: { kind: 'rejected', service: 'router', detail: 'a\u202eb' },
      together: 3,
    };
    expect(noPriceWords(hidden, 'router')).toEqual({
      title: 'Refused',
      said: 'a⟨202E⟩b',
      text: 'Refused in one call with 3 other feeds; not asked alone.',
    });
    const key: LookupCell = {
      kind: 'failed',
      failure: { kind: 'unauthorized', service: 'updates', detail: '' },
    };
    expect(noPriceWords(key, 'updates')).toMatchObject({
      title: 'Key refused',
      text: expect.stringContaining('UPDATES_API_KEY'),
    });
    expect(
      noPriceWords({ kind: 'not-asked', why: 'below-min-channel', detail: 'fixed_rate@1ms' }, 'router').text,
    ).toMatch(/minimum, fixed_rate@1ms/);
  });
});
