import { Anchor, Badge, CopyButton, MantineProvider, Table, Tooltip, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { cellText, type ListedRecord } from '@/lib/client/cell-text';
import { DEFAULT_LAYOUT, shownColumns } from '@/lib/client/column-layout';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { explorerTxUrl, type Network } from '@/lib/domain/network';
import { readLogPage } from '@/lib/domain/request-record';
import type { ColumnId } from '@/lib/requests/columns';
import { COLUMNS } from './columns';
import { shortHex } from './hex-cell';
import { RequestsTable } from './requests-table';

/**
 * What it costs to render the log table on the server, against the same columns and rows in the cells of the component
 * library. Run by itself (`bench/render-table.ts` does): prints the pages per second of both as one line of JSON.
 */

const ROWS = 50;
const ROUNDS = 7;
/** Of each table in each round; in turns, so that a busy moment of the machine is shared. */
const ROUND_MS = 600;

const NETWORK: Network = {
  networkId: '8453',
  name: 'Base',
  testnet: false,
  explorerTx: 'https://basescan.org/tx/{hash}',
  explorerAddress: 'https://basescan.org/address/{address}',
  known: true,
};

function hex(bytes: number, seed: number): string {
  const digits = (seed * 2654435761).toString(16).padStart(8, '0');
  return digits.repeat(Math.ceil((bytes * 2) / digits.length)).slice(0, bytes * 2);
}

const STATES = [
  '{"state":"pending"}',
  '{"state":"completed","callback_failed":false,"gas_used":"240001"}',
  '{"state":"completed","callback_failed":true,"callback_return_value":"0x1c26714c"}',
  '{"state":"failed","reason":"Reverted: 0x1c26714c"}',
];

function rowText(index: number): string {
  const at = new Date(Date.UTC(2026, 10, 20, 8, 0, index)).toISOString();
  return (
    `{"chain_id":"base","network_id":8453,"created_at":"${at}","last_updated_at":"${at}","gas_limit":500000,` +
    `"provider":"0x${hex(20, 1)}","sender":"0x${hex(20, index + 2)}","request_block_number":${22_000_000 + index},` +
    `"request_tx_hash":"0x${hex(32, index + 3)}","sequence":${1_000_000 + index},` +
    `"state":${STATES[index % STATES.length]},"user_random_number":"${hex(32, index + 4)}"}`
  );
}

function exampleRows(): ListedRow[] {
  const texts = Array.from({ length: ROWS }, (_, index) => rowText(index));
  const page = readLogPage(`{"requests":[${texts.join()}],"total_results":${ROWS}}`);
  if (!page.ok) throw new Error(page.failure.detail);
  return page.value.rows.map((row) => ({ ...row, keeper: 'main', key: `main/${row.key}` }));
}

const nothing = () => {};

function ours(rows: readonly ListedRow[]): ReactNode {
  return (
    <RequestsTable
      rows={rows}
      rowsKey="all"
      marks={new Map()}
      layout={DEFAULT_LAYOUT}
      onLayout={nothing}
      sort="created.desc"
      onSort={nothing}
      openKey={undefined}
      onOpen={nothing}
      onOnly={nothing}
      onNot={nothing}
      networks={[NETWORK]}
      busy={false}
    />
  );
}

function LibraryCell({ record, id }: { record: ListedRecord; id: ColumnId }) {
  const text = cellText(record, id) ?? '—';
  if (id === 'state') return <Badge variant="light">{text}</Badge>;
  if (id !== 'sender' && id !== 'request-tx') {
    return (
      <Tooltip label={text}>
        <span>{id === 'network' ? NETWORK.name : text}</span>
      </Tooltip>
    );
  }
  return (
    <>
      <Tooltip label={text}>
        <Anchor href={explorerTxUrl(NETWORK, record.requestTxHash)} target="_blank" rel="noreferrer noopener">
          {shortHex(text)}
        </Anchor>
      </Tooltip>
      <CopyButton value={text}>
        {({ copied, copy }) => <UnstyledButton onClick={copy}>{copied ? 'Copied' : 'Copy'}</UnstyledButton>}
      </CopyButton>
    </>
  );
}

function library(rows: readonly ListedRow[]): ReactNode {
  const columns = shownColumns(DEFAULT_LAYOUT);
  return (
    <Table aria-label="Requests" stickyHeader highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ id }) => (
            <Table.Th key={id}>{COLUMNS[id].label}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.key}>
            {columns.map(({ id }) => (
              <Table.Td key={id}>
                {row.kind === 'record' ? <LibraryCell record={row} id={id} /> : null}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Pages per second over one round. */
function pace(table: (rows: readonly ListedRow[]) => ReactNode, rows: readonly ListedRow[]): number {
  const begin = performance.now();
  let pages = 0;
  while (performance.now() - begin < ROUND_MS) {
    renderToString(<MantineProvider>{table(rows)}</MantineProvider>);
    pages += 1;
  }
  return (pages * 1000) / (performance.now() - begin);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const rows = exampleRows();
const rounds = Array.from({ length: ROUNDS + 1 }, () => ({
  ours: pace(ours, rows),
  library: pace(library, rows),
})).slice(1);
process.stdout.write(
  `${JSON.stringify({
    ours: median(rounds.map((round) => round.ours)),
    library: median(rounds.map((round) => round.library)),
    ratio: median(rounds.map((round) => round.ours / round.library)),
  })}\n`,
);
