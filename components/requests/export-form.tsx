'use client';
import { Button } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { clipped } from '@/lib/client/foreign-text';
import { countOf } from '@/lib/client/human-number';
import type { ExportFormat } from '@/lib/requests/export-url';
import type { RequestsView } from '@/lib/requests/view';
import classes from './export-dialog.module.css';
import { useNetwork } from './networks-context';
import { stateLabel } from './state-words';
import { timeWords } from './time-words';

const FORMATS: { format: ExportFormat; label: string; says: string }[] = [
  { format: 'csv', label: 'CSV', says: 'a table for spreadsheets; cells that one would run are disarmed' },
  { format: 'ndjson', label: 'NDJSON', says: 'each request as the service wrote it, one per line' },
  { format: 'json', label: 'JSON', says: 'the same as one JSON object' },
];

const COLUMNS = [
  { columns: 'all', label: 'All columns' },
  { columns: 'shown', label: 'The shown ones' },
] as const;

function NetworkName({ networkId }: { networkId: string }) {
  return <bdi>{clipped(useNetwork(networkId).name, 60)}</bdi>;
}

/** What is exported, in words, so that nobody takes it for the page. */
function What({ view, total }: { view: RequestsView; total: string | undefined }) {
  const count = total === undefined ? 'All requests' : `All ${countOf(total, 'request', 'requests')}`;
  return (
    <dl className={classes.what}>
      <div>
        <dt>Rows</dt>
        <dd>{`${count} ${timeWords(view.time, view.asof)}, newest first`}</dd>
      </div>
      {view.networks.length === 0 ? null : (
        <div>
          <dt>Networks</dt>
          <dd className={classes.list}>
            {view.networks.map((networkId) => (
              <NetworkName key={networkId} networkId={networkId} />
            ))}
          </dd>
        </div>
      )}
      <Words name="States" words={view.states.map(stateLabel)} />
      <Words name="Keepers" words={view.keepers.map((keeper) => clipped(keeper, 40))} />
      <Words name="Search" words={view.q === '' ? [] : [clipped(view.q, 80)]} />
    </dl>
  );
}

function Words({ name, words }: { name: string; words: readonly string[] }) {
  if (words.length === 0) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd className={classes.list}>
        {words.map((word) => (
          <bdi key={word}>{word}</bdi>
        ))}
      </dd>
    </div>
  );
}

/** What kind of file, and of what. */
export function ExportForm({
  view,
  total,
  onStart,
  onClose,
}: {
  view: RequestsView;
  /** Decimal digits; undefined while not known. */
  total: string | undefined;
  onStart: (format: ExportFormat, columns: 'all' | 'shown') => void;
  onClose: () => void;
}) {
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [columns, setColumns] = useState<'all' | 'shown'>('all');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onStart(format, format === 'csv' ? columns : 'all');
  };
  return (
    <form onSubmit={submit} className={classes.form}>
      <What view={view} total={total} />
      <fieldset className={classes.choices}>
        <legend>Format</legend>
        {FORMATS.map((offered) => (
          <label key={offered.format} className={classes.choice}>
            <input
              type="radio"
              name="format"
              checked={format === offered.format}
              onChange={() => setFormat(offered.format)}
            />
            <span>
              {offered.label}
              <span className={classes.says}>{offered.says}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {/* Invisible instead of away: the buttons do not jump. */}
      <fieldset
        className={classes.choices}
        disabled={format !== 'csv'}
        data-standing={format === 'csv' ? 'shown' : 'hidden'}
      >
        <legend>Columns</legend>
        <div className={classes.row}>
          {COLUMNS.map((offered) => (
            <label key={offered.columns} className={classes.choice}>
              <input
                type="radio"
                name="columns"
                checked={columns === offered.columns}
                onChange={() => setColumns(offered.columns)}
              />
              <span>{offered.label}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <div className={classes.actions}>
        <Button onClick={onClose}>Close</Button>
        <Button type="submit" variant="filled">
          Start
        </Button>
      </div>
    </form>
  );
}
