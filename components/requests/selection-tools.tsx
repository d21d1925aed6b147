'use client';
import { Toolbar } from '@mantine/core';
import { useMemo } from 'react';
import { Acknowledge } from '@/components/alerts/acknowledge';
import { announce } from '@/components/ui/announce';
import { saveFile } from '@/components/ui/save-file';
import { Muted, SmallButton } from '@/components/ui/text';
import { countOf } from '@/lib/core/numbers';
import { formatIsoSeconds } from '@/lib/core/time';
import type { ListedRow } from '@/lib/requests/requests-response';
import { recordsOf, selectedHashes, selectedNdjson } from '@/lib/requests/selected';
import classes from './requests.module.css';
import type { Selection } from './selection';

type Props = { rows: readonly ListedRow[]; selection: Selection };

/** Shown in place of the table's tools. */
export function SelectionTools({ rows, selection: { keys, end } }: Props) {
  const records = useMemo(() => recordsOf(rows, keys ?? new Set()), [rows, keys]);
  const pending = records.filter(({ state }) => state.kind === 'pending');
  const countText = countOf(records.length, 'request');
  const isEmpty = records.length === 0;

  async function copy() {
    const hashes = selectedHashes(records);
    // This throws over plain HTTP from another machine, where browsers offer no clipboard.
    const write = async () => navigator.clipboard.writeText(hashes.join('\n'));
    await write().then(
      () => announce(`Copied ${countOf(hashes.length, 'hash', 'hashes')}`),
      () => announce('Clipboard blocked'),
    );
  }
  function save() {
    const file = new Blob([selectedNdjson(records)], { type: 'application/x-ndjson' });
    saveFile(file, `requests-${formatIsoSeconds(Date.now()).replaceAll(/[-:]/g, '')}.ndjson`);
    announce(`Exported ${countText}`);
  }
  return (
    <Toolbar withBorder={false} className={classes.tools} aria-label="Selected requests">
      <Muted size="sm" mr="xs" className="num" role="status">
        {records.length} selected
      </Muted>
      <SmallButton data-toolbar-toggle="" disabled={isEmpty} onClick={() => void copy()}>
        Copy hashes
      </SmallButton>
      <SmallButton data-toolbar-toggle="" disabled={isEmpty} onClick={save}>
        Export NDJSON
      </SmallButton>
      {pending.length === 0 ? (
        <SmallButton disabled title="Only pending requests can be acknowledged">
          Acknowledge
        </SmallButton>
      ) : (
        <Acknowledge
          targets={pending.map(({ key }) => ({ kind: 'request', id: key }))}
          what={countOf(pending.length, 'pending request')}
        />
      )}
      <SmallButton data-toolbar-toggle="" variant="light" onClick={end}>
        Done
      </SmallButton>
    </Toolbar>
  );
}
