'use client';
import { Button } from '@mantine/core';
import dynamic from 'next/dynamic';
import { orNotice } from '@/components/ui/part-not-loaded';
import { explainFailure } from '@/lib/core/explain-failure';
import type { Network } from '@/lib/core/network';
import type { ListedRow } from '@/lib/requests/listing';
import classes from './request.module.css';
import type { OpenRow } from './use-one-request';

const RequestPanel = dynamic(
  () => orNotice(import('./request-panel').then((module) => module.RequestPanel)),
  {
    ssr: false,
    loading: () => <PanelNotice title="Request" words="Loading…" />,
  },
);

/** The row that the link opens, beside the table; `j` and `k` go through the rows as they are shown. */
export function OpenRequest({
  open,
  rows,
  networks,
  onOpen,
}: {
  open: OpenRow;
  rows: readonly ListedRow[];
  networks: readonly Network[];
  onOpen: (key: string | undefined) => void;
}) {
  const close = () => onOpen(undefined);
  switch (open.kind) {
    case 'none':
      return null;
    case 'loading':
      return <PanelNotice title="Request" words="Loading…" onClose={close} />;
    case 'trouble':
      return (
        <PanelNotice title="Request unavailable" words={explainFailure(open.failure).title} onClose={close} />
      );
    case 'row': {
      const at = rows.findIndex((row) => row.key === open.row.key);
      const step = (by: 1 | -1) => onOpen(rows[at + by]?.key ?? open.row.key);
      return <RequestPanel row={open.row} networks={networks} onClose={close} onStep={step} />;
    }
  }
}

/** Stands where the panel of a request will be, or says why there is none. */
function PanelNotice({ title, words, onClose }: { title: string; words: string; onClose?: () => void }) {
  return (
    <aside className={classes.panel} aria-label={title}>
      <div className={classes.panelBody}>
        <h2 className={classes.panelTitle}>{title}</h2>
        <p>{words}</p>
        {onClose === undefined ? null : <Button onClick={onClose}>Close</Button>}
      </div>
    </aside>
  );
}
