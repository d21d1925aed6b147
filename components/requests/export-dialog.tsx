'use client';
import { Button } from '@mantine/core';
import { useRef } from 'react';
import { ModalDialog } from '@/components/ui/modal-dialog';
import { downloadExport, type ExportResult, windowDownloadEdges } from '@/lib/client/export-download';
import { type ExportState, exportJob } from '@/lib/client/export-job';
import { chooseSink, windowSinkEdges } from '@/lib/client/export-sink';
import type { LoadedRequests } from '@/lib/client/requests';
import type { ColumnLayout } from '@/lib/requests/columns';
import { type ExportFormat, exportUrl } from '@/lib/requests/export-url';
import type { RequestsView } from '@/lib/requests/view';
import classes from './export-dialog.module.css';
import { ExportForm } from './export-form';
import { ExportProgressView, ExportResultView } from './export-outcome';

type Props = {
  view: RequestsView;
  /** The rows on screen, whose moment the export is pinned to. */
  listing: LoadedRequests | undefined;
  layout: ColumnLayout;
  job: ExportState;
  onClose: () => void;
};

const TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  parquet: 'application/vnd.apache.parquet',
};

function fileName(format: ExportFormat): string {
  const moment = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  return `requests-${moment}Z.${format}`;
}

/** What is shown is what is exported: pinned to the moment of the rows on screen. */
async function startExport(view: RequestsView, format: ExportFormat, rows: number): Promise<void> {
  const sink = await chooseSink(fileName(format), TYPES[format], rows, windowSinkEdges());
  if (sink === undefined) return;
  const url = exportUrl(view, format);
  await exportJob.start(format, (onProgress, signal) =>
    downloadExport(url, format, sink, onProgress, signal, windowDownloadEdges),
  );
}

/** How it ended, taken note of by either button. */
function Ended({ result, onDone }: { result: ExportResult; onDone: () => void }) {
  const done = () => {
    exportJob.clear();
    onDone();
  };
  return (
    <>
      <ExportResultView result={result} />
      <div className={classes.actions}>
        <Button onClick={() => exportJob.clear()}>Export again</Button>
        <Button variant="filled" onClick={done}>
          Done
        </Button>
      </div>
    </>
  );
}

/** Chooses, shows and ends an export. Closing it lets a running one go on. */
export function ExportDialog({ view, listing, layout, job, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
  const { columns: _columns, ...rows } = view;
  const pinned = { ...rows, ...(listing === undefined ? {} : { asof: listing.asof }) };
  const start = (format: ExportFormat, columns: 'all' | 'shown') =>
    void startExport(
      columns === 'shown' ? { ...pinned, columns: layout } : pinned,
      format,
      Number(listing?.total ?? 0),
    );
  return (
    <ModalDialog label="Export requests" width="32rem" dialog={dialog} onClose={onClose}>
      <div className={classes.content}>
        <h2 className={classes.title}>Export requests</h2>
        {job.kind === 'none' ? (
          <ExportForm view={pinned} total={listing?.total} onStart={start} onClose={close} />
        ) : null}
        {job.kind === 'running' ? (
          <ExportProgressView progress={job.progress} onCancel={() => exportJob.cancel()} onClose={close} />
        ) : null}
        {job.kind === 'ended' ? <Ended result={job.result} onDone={close} /> : null}
      </div>
    </ModalDialog>
  );
}
