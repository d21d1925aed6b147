import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HASH, readPage, rowText } from '@/lib/core/log-row-fixture';
import { escapeFormula } from '@/lib/core/text';
import { COLUMN_IDS, type ColumnId } from '@/lib/requests/columns';
import type { ExportEnd, ExportMeta } from '@/lib/requests/server/export-text';
import { readCsv } from './counted-by-hand-fixture';
import { CSV_MARK_LINES, readExportEnd } from './export-end-fixture';
import { exportText, type FileRow } from './export-text';

const META: ExportMeta = {
  query: '/requests?range=1h&q=%22%2C&asof=2026-11-20T12%3A00%3A00Z',
  asof: '2026-11-20T12:00:00Z',
  readUpTo: '2026-11-20T11:59:58.000Z',
  started: '2026-11-20T12:00:01.000Z',
  order: 'created_at, newest first',
  keepers: ['main'],
  expected: 2,
};
const END: ExportEnd = {
  finished: '2026-11-20T12:00:02.000Z',
  expected: 2,
  written: 2,
  unreadable: 0,
  complete: false,
  problem: 'The service said: "no", and\nnothing else',
};

const TEXTS = ['csv', 'ndjson', 'json'] as const;

function fileRows(texts: string[]): FileRow[] {
  return readPage(texts).rows.map((row) => ({
    keeper: 'main',
    wire: row.rawJson,
    problem: row.kind === 'unreadable' ? row.problem : null,
  }));
}

const named = () => 'Base';

function wholeFile(format: (typeof TEXTS)[number], rows: FileRow[]): string {
  const text = exportText(format);
  const half = Math.ceil(rows.length / 2);
  return (
    text.begin(META) +
    text.rows(rows.slice(0, half), named) +
    text.rows(rows.slice(half), named) +
    text.end(META, END)
  );
}

describe('a CSV', () => {
  it('preserves every text of a service, except for added apostrophes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }), (reasons) => {
        const rows = fileRows(
          reasons.map((reason) =>
            rowText({ state: `{"state":"failed","reason":${JSON.stringify(reason)}}` }),
          ),
        );
        const [header = [], ...records] = readCsv(wholeFile('csv', rows));
        const at = header.indexOf('failure_raw');
        expect(records.slice(0, reasons.length).map((record) => record[at])).toEqual(
          reasons.map(escapeFormula),
        );
        expect(new Set([header.length, ...records.map(({ length }) => length)])).toEqual(
          new Set([header.length]),
        );
      }),
    );
  });

  it('holds no formula where a program splits at semicolons, tabs and line breaks, and sees no quotes', () => {
    const reason = JSON.stringify('boom;=cmd|\'/C calc\'!A0;rest\t+1\n@A1;"-1"');
    const file = wholeFile('csv', fileRows([rowText({ state: `{"state":"failed","reason":${reason}}` })]));
    expect(file).toContain("boom;'=cmd|'/C calc'!A0;rest");
    expect(file.split(/[;\t\n]/).filter((field) => /^[\s"]*[=+\-@]/.test(field))).toEqual([]);
  });

  it('keeps every digit of every figure, and times as the service wrote them', () => {
    const state =
      '{"state":"completed","callback_failed":false,"gas_used":"250001","callback_gas_used":"9007199254740993","reveal_block_number":123456789012345678901}';
    const [header = [], record = []] = readCsv(
      wholeFile('csv', fileRows([rowText({ state, gas_limit: '500000' })])),
    );
    const cell = (name: string) => record[header.indexOf(name)];
    expect(cell('sequence')).toBe('18446744073709551615');
    expect(cell('created_at')).toBe('2026-11-20T08:05:03.123456789Z');
    expect(cell('reveal_block_number')).toBe('123456789012345678901');
    expect(cell('callback_gas_used')).toBe('9007199254740993');
    expect(cell('gas_share_percent')).toBe('50.00');
    expect(cell('duration_ms')).toBe('1877');
    expect(cell('request_tx_hash')).toBe(HASH);
    const names = ['main', 'Base', '42161', 'arbitrum'];
    expect([cell('keeper'), cell('network'), cell('network_id'), cell('chain_id')]).toEqual(names);
  });

  it('has all columns, or the requested ones in their order, between keeper and raw', () => {
    const headerOf = (columns?: ColumnId[]) => readCsv(exportText('csv', columns).begin(META))[0] ?? [];
    expect(headerOf(['state', 'network']).join()).toBe(
      'keeper,state,network,network_id,chain_id,problem,raw',
    );
    expect(new Set(headerOf()).size).toBe(headerOf().length);
    expect(headerOf().length).toBeGreaterThan(COLUMN_IDS.length);
  });

  it('ends with lines that a reader with # as comment sign skips', () => {
    const lines = wholeFile('csv', fileRows([rowText()]))
      .trimEnd()
      .split('\n')
      .slice(-CSV_MARK_LINES.length);
    expect(lines.every((line) => line.startsWith('# '))).toBe(true);
    expect(lines.at(-1)).toMatch(/^# complete: no,+$/);
  });
});

describe('JSON', () => {
  const odd = rowText({
    created_at: '"2026-11-20T08:05:03Z"',
    future: '{"deep":[1.10,12345678901234567890]}',
  });
  const rows = [odd, '[1, 2.50]', rowText()];

  it('holds the rows as the service wrote them, line by line, with the keeper', () => {
    const lines = wholeFile('ndjson', fileRows(rows)).trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe(`${odd.slice(0, -1)},"keeper":"main"}`);
    expect(lines[1]).toBe('{"unreadable":[1,2.50],"problem":"The row is not an object.","keeper":"main"}');
    expect(JSON.parse(lines[3] ?? '')).toEqual({ meta: { ...META, ...END } });
  });
});

it.each(TEXTS)('the end of a %s file is read back, and found missing if the file was cut off', (format) => {
  const file = wholeFile(format, fileRows([rowText(), rowText({ sequence: '5' })]));
  const expected = format === 'csv' ? { ...END, problem: 'The service said: no and nothing else' } : END;
  expect(readExportEnd(format, file.slice(-16_000))).toMatchObject(expected);
  for (let cut = 1; cut < 200; cut++) expect(readExportEnd(format, file.slice(0, -cut))).toBeUndefined();
});
