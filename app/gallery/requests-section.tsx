'use client';
import { useMemo, useState } from 'react';
import { EmptyResult, NothingWithin } from '@/components/requests/empty-result';
import { Pager } from '@/components/requests/pager';
import { RequestPanel } from '@/components/requests/request-panel';
import { RequestsTable, RequestsTableSkeleton } from '@/components/requests/requests-table';
import { TableClockProvider } from '@/components/requests/table-clock';
import { TroubleNotice } from '@/components/requests/trouble-notice';
import { UrlProblems } from '@/components/requests/url-problems';
import { DEFAULT_LAYOUT } from '@/lib/client/column-layout';
import type { Mark } from '@/lib/client/following';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { COLUMN_IDS, type ColumnLayout } from '@/lib/contract/codec/requests-columns';
import { galleryRows, NETWORKS } from './request-fixtures';
import { FAILURES, loaded, trouble } from './result-fixtures';
import { GallerySection, Specimen } from './specimen';
import { Still } from './still';

const nothing = () => {};
const NO_MARKS: ReadonlyMap<string, Mark> = new Map();
const EVERYTHING: ColumnLayout = { columns: COLUMN_IDS.map((id) => ({ id })), density: 'compact' };
const ROOMY: ColumnLayout = { ...DEFAULT_LAYOUT, density: 'roomy' };

/** A table whose rows can be opened and whose columns can be changed, as on the page. */
function Table({
  rows,
  marks = NO_MARKS,
  layout: given = DEFAULT_LAYOUT,
  standing = 'current',
}: {
  rows: readonly ListedRow[];
  marks?: ReadonlyMap<string, Mark>;
  layout?: ColumnLayout;
  standing?: 'current' | 'busy';
}) {
  const [openKey, setOpenKey] = useState<string>();
  const [layout, setLayout] = useState(given);
  return (
    <RequestsTable
      rows={rows}
      rowsKey=""
      marks={marks}
      layout={layout}
      onLayout={setLayout}
      sort="created.desc"
      onSort={nothing}
      openKey={openKey}
      onOpen={setOpenKey}
      onOnly={nothing}
      onNot={nothing}
      networks={NETWORKS}
      busy={standing === 'busy'}
    />
  );
}

function Tables({ rows }: { rows: ListedRow[] }) {
  const marks = new Map<string, Mark>([
    [rows[0]?.key ?? '', 'new'],
    [rows[2]?.key ?? '', 'changed'],
  ]);
  return (
    <>
      <Specimen name="Rows of every state, one of them unreadable" height="34rem">
        <Table rows={rows} />
      </Specimen>
      <Specimen name="Every column, compact" height="30rem">
        <Table rows={rows} layout={EVERYTHING} />
      </Specimen>
      <Specimen name="Roomy, with a new and a changed row" height="22rem">
        <Table rows={rows.slice(0, 4)} marks={marks} layout={ROOMY} />
      </Specimen>
      <Specimen name="Other rows are on their way" height="16rem">
        <Table rows={rows.slice(0, 4)} standing="busy" />
      </Specimen>
      <Specimen name="Before the first rows" height="16rem">
        <RequestsTableSkeleton layout={DEFAULT_LAYOUT} />
      </Specimen>
    </>
  );
}

function Around({ nowMs }: { nowMs: number }) {
  const filtered = { q: '12345', states: ['failed'], networks: ['8453'] };
  return (
    <>
      <Specimen name="Nothing matches">
        <EmptyResult page={loaded([], nowMs, filtered)} keepers={['main', 'test']} show={nothing} />
      </Specimen>
      <Specimen name="Beyond the last page">
        <EmptyResult
          page={loaded([], nowMs, { page: 40 }, { total: '1234' })}
          keepers={['main', 'test']}
          show={nothing}
        />
      </Specimen>
      <Specimen name="Filters within the rows hide them all">
        <NothingWithin loaded={50} show={nothing} />
      </Specimen>
      {FAILURES.map((failure) => (
        <Specimen key={failure.kind} name={`Failing: ${failure.kind}`}>
          <TroubleNotice
            trouble={trouble(failure, nowMs)}
            page={failure.kind === 'timeout' ? undefined : loaded([], nowMs)}
            viewKey=""
            keeper={undefined}
            onRetry={nothing}
          />
        </Specimen>
      ))}
      <Specimen name="A link that can’t be read in full">
        <UrlProblems
          problems={[
            { param: 'from', value: 'yesterday', message: 'This is not an ISO 8601 time.' },
            { param: 'colour', value: '<b>red</b>', message: 'This page has no such parameter.' },
          ]}
        />
      </Specimen>
      <Specimen name="Between pages">
        <Pager page={2} size={50} pages={1234n} onPrevious={nothing} onNext={nothing} onSize={nothing} />
      </Specimen>
    </>
  );
}

function Panels({ rows }: { rows: ListedRow[] }) {
  const shown = rows.filter(
    ({ kind }, index) => kind === 'unreadable' || index === 0 || index === 3 || index === 6,
  );
  return shown.map((row) => (
    <Specimen
      key={row.key}
      name={row.kind === 'unreadable' ? 'An unreadable row' : `One request: ${row.state.kind}`}
      height="36rem"
    >
      <Still>
        <RequestPanel row={row} networks={NETWORKS} onClose={nothing} onStep={nothing} />
      </Still>
    </Specimen>
  ));
}

/** The log table, what stands around it and one request. */
export function RequestsSection({ nowMs }: { nowMs: number }) {
  const rows = useMemo(() => galleryRows(nowMs), [nowMs]);
  return (
    <TableClockProvider renderedAtMs={nowMs}>
      <GallerySection name="requests">
        <Tables rows={rows} />
        <Around nowMs={nowMs} />
      </GallerySection>
      <GallerySection name="one-request">
        <Panels rows={rows} />
      </GallerySection>
    </TableClockProvider>
  );
}
