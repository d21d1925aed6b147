'use client';
import { Button, Group, Radio, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useState } from 'react';
import { Soft } from '@/components/ui/text';
import { useMomentWords, useTimeStyle } from '@/components/ui/time-style';
import { countOf } from '@/lib/core/numbers';
import { parseIsoTime } from '@/lib/core/time';
import type { ColumnLayout } from '@/lib/requests/columns';
import { EXPORT_FORMATS, type ExportFormat, exportUrl } from '@/lib/requests/export-url';
import { sharedLink } from '@/lib/requests/share';
import { useRequests } from './requests-context';

type Props = {
  /** How many match, decimal digits; undefined while not known. */
  total: string | undefined;
  /** ISO time of the rows on screen: what is logged later is not exported. */
  asof: string | undefined;
  layout: ColumnLayout;
};

/** A link to exactly these rows, or to the view as it goes on. */
export function ShareLink({ total, asof, layout }: Props) {
  const { view } = useRequests();
  const { zone } = useTimeStyle();
  const moment = useMomentWords();
  const { copy, copied, error } = useClipboard();
  const [kind, setKind] = useState<'snapshot' | 'live'>('snapshot');
  const [nowMs] = useState(Date.now);
  const link = sharedLink(view, { asof, total, layout, zone, nowMs }, window.location.origin, kind);
  const count = total === undefined ? 'These rows' : countOf(total, 'request', 'requests');
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="Link to"
        value={kind}
        onChange={setKind}
        data={[
          { value: 'snapshot', label: 'Snapshot' },
          { value: 'live', label: 'Live view' },
        ]}
      />
      <Soft size="sm">
        {kind === 'snapshot'
          ? `${count} as of ${moment(parseIsoTime(asof ?? '') ?? nowMs)}`
          : 'Same filters, with the newest data when opened'}
      </Soft>
      <TextInput
        readOnly
        aria-label="Link"
        value={link}
        error={error === null ? undefined : 'Clipboard blocked. Select the link and copy it.'}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button data-autofocus variant="filled" onClick={() => copy(link)}>
        <span aria-live="polite">{copied ? 'Link copied' : 'Copy link'}</span>
      </Button>
    </Stack>
  );
}

const FORMATS: Record<ExportFormat, { label: string; description: string; hasColumns: boolean }> = {
  csv: { label: 'CSV', description: 'For spreadsheets. Formulas escaped', hasColumns: true },
  ndjson: {
    label: 'JSON lines',
    description: 'One request per line, as the service sent it',
    hasColumns: false,
  },
  json: { label: 'JSON', description: 'One document, as the service sent it', hasColumns: false },
  parquet: { label: 'Parquet', description: 'For DuckDB, pandas, Spark', hasColumns: true },
};

/** A file of every match, written by the server as it is read. */
export function ExportForm({ total, asof, layout }: Props) {
  const { view } = useRequests();
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [columns, setColumns] = useState('all');
  const [started, setStarted] = useState<ExportFormat>();
  const { columns: _columns, ...rows } = view;
  const { label, hasColumns } = FORMATS[format];
  const exported = {
    ...rows,
    ...(asof === undefined ? {} : { asof }),
    ...(hasColumns && columns === 'visible' ? { columns: layout } : {}),
  };
  return (
    <Stack gap="md">
      <p>
        <strong className="num">
          {total === undefined ? 'All matching requests' : countOf(total, 'request', 'requests')}
        </strong>
        , newest first
      </p>
      <Radio.Group label="Format" value={format} onChange={(value) => setFormat(value as ExportFormat)}>
        <Stack gap="xs" mt="xs">
          {EXPORT_FORMATS.map((one) => (
            <Radio
              key={one}
              size="xs"
              value={one}
              label={FORMATS[one].label}
              description={FORMATS[one].description}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Radio.Group label="Columns" value={hasColumns ? columns : 'all'} onChange={setColumns}>
        <Group gap="xl" mt="xs">
          <Radio size="xs" value="all" label="All columns" disabled={!hasColumns} />
          <Radio size="xs" value="visible" label="Visible columns" disabled={!hasColumns} />
        </Group>
      </Radio.Group>
      <Group justify="space-between" gap="sm">
        <Soft role="status" size="sm">
          {started === format ? 'Download started. The last lines hold the row count.' : ''}
        </Soft>
        <Button
          component="a"
          href={exportUrl(exported, format)}
          download
          variant="filled"
          onClick={() => setStarted(format)}
        >
          Export {label}
        </Button>
      </Group>
    </Stack>
  );
}
