import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LAYOUT } from '@/lib/client/column-layout';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { readPage, rowText } from '@/lib/domain/log-row-fixture';
import { COLUMN_IDS, type ColumnLayout } from '@/lib/requests/columns';
import { RequestsTable, type RequestsTableProps, RequestsTableSkeleton } from './requests-table';

const nothing = () => {};

function listed(texts: string[]): ListedRow[] {
  return readPage(texts).rows.map((row) => ({ ...row, keeper: 'main', key: `main/${row.key}` }));
}

const many = (count: number) =>
  listed(Array.from({ length: count }, (_, index) => rowText({ sequence: String(index) })));

function htmlOf(rows: readonly ListedRow[], change: Partial<RequestsTableProps> = {}): string {
  return renderToString(
    createElement(RequestsTable, {
      rows,
      rowsKey: 'all',
      marks: new Map(),
      layout: DEFAULT_LAYOUT,
      onLayout: nothing,
      sort: 'created.desc',
      onSort: nothing,
      openKey: undefined,
      onOpen: nothing,
      onOnly: nothing,
      onNot: nothing,
      networks: [],
      busy: false,
      ...change,
    }),
  );
}

const rowsIn = (html: string) => html.match(/<tr[^>]*data-row="record"/g)?.length ?? 0;
const everything: ColumnLayout = { columns: COLUMN_IDS.map((id) => ({ id })), density: 'compact' };

describe('the first HTML of the table', () => {
  it.each([
    [50, 50],
    [100, 100],
    [1000, 50],
  ])('of %i rows holds %i', (count, drawn) => {
    expect(rowsIn(htmlOf(many(count)))).toBe(drawn);
  });

  it('of a long page is as high as all of its rows, and says how many there are', () => {
    const html = htmlOf(many(1000));
    expect(html).toContain('aria-rowcount="1001"');
    expect(html).toContain(`height:${950 * 36}px`);
  });

  it('has an unreadable row in its place, with its JSON', () => {
    const html = htmlOf(listed([rowText({ sequence: '1' }), '{"odd":"<b>"}', rowText({ sequence: '2' })]));
    const kinds = [...html.matchAll(/data-row="(\w+)"/g)].map(([, kind]) => kind);
    expect(kinds).toEqual(['record', 'unreadable', 'record']);
    expect(html).toContain('&lt;b&gt;');
  });

  it('shows an unknown state by its name', () => {
    const html = htmlOf(listed([rowText({ state: '{"state":"levitating"}' })]));
    expect(html).toMatch(/data-state="unknown"[\s\S]*levitating/);
  });

  it('has a cell and a header for every column that there is', () => {
    const html = htmlOf(many(1), { layout: everything });
    for (const id of COLUMN_IDS) {
      expect(html).toMatch(new RegExp(`<th[^>]*data-column="${id}"`));
      expect(html).toMatch(new RegExp(`<td[^>]*data-column="${id}"`));
    }
  });

  it('says which way it is sorted', () => {
    expect(htmlOf(many(3))).toMatch(/<th[^>]*data-column="created"[^>]*aria-sort="descending"/);
    const html = htmlOf(many(3), { sort: 'gas-limit.asc' });
    expect(html).toMatch(/<th[^>]*data-column="gas-limit"[^>]*aria-sort="ascending"/);
  });

  it('leaves a cell empty where the service sent nothing, so that the style can say so', () => {
    const html = htmlOf(listed([rowText({ sender: undefined, gas_limit: undefined })]));
    expect(html).toMatch(/<td[^>]*data-column="sender"[^>]*><\/td>/);
    expect(html).toMatch(/<td[^>]*data-column="gas-limit"[^>]*><\/td>/);
  });

  it('marks rows that are new with a word', () => {
    const rows = many(2);
    expect(htmlOf(rows, { marks: new Map([[rows[0]?.key ?? '', 'new']]) })).toMatch(/>new<\/span>/);
  });

  it('before there are rows has the columns that they will have', () => {
    const html = renderToString(createElement(RequestsTableSkeleton, { layout: everything }));
    expect(html.match(/<th /g)).toHaveLength(COLUMN_IDS.length);
    expect(html).toContain('aria-busy="true"');
  });
});
