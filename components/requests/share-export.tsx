'use client';
import {
  Button,
  Group,
  Modal,
  Popover,
  Radio,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useClipboard, useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useMomentWords, useTimeStyle } from '@/components/ui/time-style';
import { countOf } from '@/lib/core/numbers';
import { parseIsoTime } from '@/lib/core/time';
import type { ColumnLayout } from '@/lib/requests/columns';
import { EXPORT_FORMATS, type ExportFormat, exportUrl } from '@/lib/requests/export-url';
import { sharedLink } from '@/lib/requests/share';
import type { RequestsView } from '@/lib/requests/view';

type Props = {
  view: RequestsView;
  /** How many match, decimal digits; undefined while not known. */
  total: string | undefined;
  /** ISO time of the rows on screen: what is logged later is not exported. */
  asof: string | undefined;
  layout: ColumnLayout;
};

/** The button, and what it opens: a link to exactly these rows, or to the view as it goes on. */
export function ShareDialog(props: Props) {
  const [opened, { toggle, close }] = useDisclosure(false);
  return (
    <Popover
      opened={opened}
      onChange={(open) => (open ? undefined : close())}
      width="min(24rem, calc(100vw - 1.5rem))"
      position="bottom-end"
      trapFocus
      returnFocus
      withinPortal
    >
      <Popover.Target>
        <Button data-toolbar-toggle="" size="compact-xs" onClick={toggle}>
          Share
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <ShareLink {...props} />
      </Popover.Dropdown>
    </Popover>
  );
}

function ShareLink({ view, total, asof, layout }: Props) {
  const { zone } = useTimeStyle();
  const moment = useMomentWords();
  const { copy, copied, error } = useClipboard();
  const [kind, setKind] = useState<'snapshot' | 'live'>('snapshot');
  const [nowMs] = useState(Date.now);
  const link = sharedLink(view, { asof, total, layout, zone, nowMs }, window.location.origin, kind);
  const pinnedMs = asof === undefined ? nowMs : (parseIsoTime(asof) ?? nowMs);
  const count = total === undefined ? 'These rows' : countOf(total, 'request', 'requests');
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="xs"
        aria-label="Link to"
        value={kind}
        onChange={setKind}
        data={[
          { value: 'snapshot', label: 'Snapshot' },
          { value: 'live', label: 'Live view' },
        ]}
      />
      <Text size="sm" c="dimmed">
        {kind === 'snapshot'
          ? `${count} as of ${moment(pinnedMs)}`
          : 'Same filters, with the newest data when opened'}
      </Text>
      <TextInput readOnly aria-label="Link" value={link} onFocus={(event) => event.currentTarget.select()} />
      <Button data-autofocus variant="filled" onClick={() => copy(link)}>
        <span aria-live="polite">{copied ? 'Link copied' : 'Copy link'}</span>
      </Button>
      {error === null ? null : (
        <Text role="alert" size="sm" c="var(--ks-bad)">
          Clipboard blocked. Select the link and copy it.
        </Text>
      )}
    </Stack>
  );
}

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
        <Group gap="xl" mt="xs">
          <Radio size="xs" value="all" label="All columns" disabled={!hasColumns} />
          <Radio size="xs" value="visible" label="Visible columns" disabled={!hasColumns} />
        </Group>
      </Radio.Group>
      <Group justify="space-between" gap="sm">
        <Text role="status" size="sm" c="dimmed">
          {started === format ? 'Download started. Its last rows hold the count.' : ''}
        </Text>
        <Button
          component="a"
          href={exportUrl(exported, format)}
          download
          variant="filled"
          onClick={() => setStarted(format)}
        >
          Export {FORMATS[format].label}
        </Button>
      </Group>
    </Stack>
  );
}
