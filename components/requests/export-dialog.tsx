'use client';
import { Button, Modal, Radio, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { countOf } from '@/lib/core/numbers';
import type { ColumnLayout } from '@/lib/requests/columns';
import { EXPORT_FORMATS, type ExportFormat, exportUrl } from '@/lib/requests/export-url';
import type { RequestsView } from '@/lib/requests/view-shape';
import classes from './dialogs.module.css';

type Props = {
  view: RequestsView;
  /** How many match, decimal digits; undefined while not known. */
  total: string | undefined;
  /** ISO time of the rows on screen: what is logged later is not exported. */
  asof: string | undefined;
  layout: ColumnLayout;
};

const FORMATS: Record<ExportFormat, { label: string; says: string; columns: boolean }> = {
  csv: { label: 'CSV', says: 'For spreadsheets. Formulas escaped', columns: true },
  ndjson: { label: 'JSON lines', says: 'One request per line, as the service sent it', columns: false },
  json: { label: 'JSON', says: 'One document, as the service sent it', columns: false },
  parquet: { label: 'Parquet', says: 'For DuckDB, pandas, Spark', columns: true },
};

/** The button, and the dialog that it opens: a file of every match, written by the server as it is read. */
export function ExportDialog(props: Props) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button data-toolbar-toggle="" size="compact-xs" aria-haspopup="dialog" onClick={open}>
        Export
      </Button>
      <Modal opened={opened} onClose={close} title="Export requests">
        <ExportForm {...props} />
      </Modal>
    </>
  );
}

function ExportForm({ view, total, asof, layout }: Props) {
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [columns, setColumns] = useState<'all' | 'visible'>('all');
  const [started, setStarted] = useState<ExportFormat>();
  const { columns: _columns, ...rows } = view;
  const hasColumns = FORMATS[format].columns;
  const exported: RequestsView = {
    ...rows,
    ...(asof === undefined ? {} : { asof }),
    ...(hasColumns && columns === 'visible' ? { columns: layout } : {}),
  };
  const count = total === undefined ? 'All matching requests' : countOf(total, 'request', 'requests');
  return (
    <Stack gap="md">
      <p>
        <strong className="num">{count}</strong>, newest first
      </p>
      <Radio.Group
        label="Format"
        value={format}
        onChange={(value) => setFormat(EXPORT_FORMATS.find((known) => known === value) ?? 'csv')}
      >
        <Stack gap="xs" mt="xs">
          {EXPORT_FORMATS.map((offered) => (
            <Radio
              key={offered}
              size="xs"
              value={offered}
              label={FORMATS[offered].label}
              description={FORMATS[offered].says}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Radio.Group
        label="Columns"
        value={hasColumns ? columns : 'all'}
        onChange={(value) => setColumns(value === 'visible' ? 'visible' : 'all')}
      >
        <div className={classes.row}>
          <Radio size="xs" value="all" label="All columns" disabled={!hasColumns} />
          <Radio size="xs" value="visible" label="Visible columns" disabled={!hasColumns} />
        </div>
      </Radio.Group>
      <div className={classes.actions}>
        <p role="status" className={classes.says}>
          {started === format ? 'Download started. Its last rows hold the count.' : ''}
        </p>
        <Button
          component="a"
          href={exportUrl(exported, format)}
          download
          variant="filled"
          onClick={() => setStarted(format)}
        >
          Export {FORMATS[format].label}
        </Button>
      </div>
    </Stack>
  );
}
