'use client';
import { ExportDialog } from '@/components/requests/export-dialog';
import { ExportMark } from '@/components/requests/export-standing';
import { NetworksProvider } from '@/components/requests/networks-context';
import { SavedViewItem } from '@/components/requests/saved-view-item';
import { SavedViewsButton } from '@/components/requests/saved-views-button';
import { SaveViewForm } from '@/components/requests/saved-views-form';
import { ShareDialog } from '@/components/requests/share-dialog';
import { useLive } from '@/components/ui/live-controls';
import { DEFAULT_LAYOUT } from '@/lib/client/column-layout';
import type { ExportResult } from '@/lib/client/export-download';
import type { ExportState } from '@/lib/client/export-job';
import type { LoadedRequests } from '@/lib/client/requests';
import { defaultRequestsView, type RequestsView } from '@/lib/contract/codec/requests-url';
import classes from './gallery.module.css';
import { Opener } from './opener';
import { galleryRows, NETWORKS } from './request-fixtures';
import { loaded } from './result-fixtures';
import { GallerySection, Specimen } from './specimen';
import { Still } from './still';

const nothing = () => {};

const FILTERED: RequestsView = {
  ...defaultRequestsView(),
  networks: ['42161', '8453', '777000777'],
  states: ['failed', 'callback-failed'],
  keepers: ['main'],
  q: `0x${'11'.repeat(20)}`,
  within: { only: [{ column: 'sender', value: `0x${'11'.repeat(20)}` }], not: [] },
};

const file = { bytes: 18_300_000, fileName: 'requests-20261120T080503Z.csv' };
const ended = (result: ExportResult): ExportState => ({ kind: 'ended', format: 'csv', result });
const running = (rows: number, expected: number | undefined, pace: number | 'waiting'): ExportState => ({
  kind: 'running',
  format: 'csv',
  progress: { rows, bytes: rows * 900, expected, pace },
});

const COMPLETE = ended({ kind: 'complete', rows: 200_000, ...file, left: 2, entered: 0 });
const INCOMPLETE = ended({
  kind: 'incomplete',
  rows: 120_000,
  expected: 200_000,
  ...file,
  problem: 'The connection to this dashboard’s server was lost before the end.',
});

/** A cancelled one leaves nothing: the form stands there again. */
const JOBS: { name: string; job: ExportState; view?: RequestsView }[] = [
  { name: 'Nothing exported yet, or cancelled', job: { kind: 'none' } },
  { name: 'With filters', job: { kind: 'none' }, view: FILTERED },
  { name: 'Just started', job: { kind: 'running', format: 'csv', progress: undefined } },
  { name: 'Running', job: running(12_000, 200_000, 4100) },
  { name: 'Waiting, end not known', job: running(12_000, undefined, 'waiting') },
  { name: 'Complete', job: COMPLETE },
  { name: 'Incomplete', job: INCOMPLETE },
  {
    name: 'Failed',
    job: ended({
      kind: 'failed',
      failure: { kind: 'unauthorized', service: 'logs', detail: 'The request log service rejected our key' },
    }),
  },
];

function Exports({ listing }: { listing: LoadedRequests }) {
  return JOBS.map(({ name, job, view = defaultRequestsView() }) => (
    <Opener key={name} name={name}>
      {(close) => (
        <ExportDialog view={view} listing={listing} layout={DEFAULT_LAYOUT} job={job} onClose={close} />
      )}
    </Opener>
  ));
}

const SAVED = [
  { name: 'failed on Base', url: '/requests?network=8453&state=failed' },
  { name: 'a name that is as long as a name of a view may be, and then some', url: '/requests' },
  { name: '\u202Ebackwards <b>', url: '/requests' },
] as const;

/** What this browser keeps is its own: the gallery shows views that nobody saved. */
function SavedViews() {
  const live = useLive();
  return (
    <div className={classes.window}>
      <ul>
        {live
          ? SAVED.map((saved) => (
              <SavedViewItem
                key={saved.name}
                saved={saved}
                onShow={nothing}
                onRename={() => 'Another view has this name.'}
                onRemove={nothing}
              />
            ))
          : null}
      </ul>
      <SaveViewForm
        names={['failed on Base']}
        onSave={() => 'There are 50 views, and no more are kept: delete one first.'}
      />
    </div>
  );
}

/** Sharing, exporting, and views that are kept. */
export function TakeAwaySection({ nowMs }: { nowMs: number }) {
  const rows = galleryRows(nowMs);
  const listing = loaded(rows, nowMs, {}, { total: '200000' });
  const link = `https://dashboard.example/requests?from=2026-11-20T08:00:00Z&q=0x${'ab'.repeat(32)}`;
  return (
    <NetworksProvider networks={NETWORKS}>
      <GallerySection name="taking-away">
        <Specimen name="Export" opens="yes">
          <div className={classes.row}>
            <Exports listing={listing} />
          </div>
        </Specimen>
        <Specimen name="An export that ended behind its closed window">
          <div className={classes.row}>
            <ExportMark job={COMPLETE} dialog="closed" onOpen={nothing} />
            <ExportMark job={INCOMPLETE} dialog="closed" onOpen={nothing} />
          </div>
        </Specimen>
        <Specimen name="Sharing where the browser forbids to copy" opens="yes">
          <Opener name="Share">{(close) => <ShareDialog link={link} onClose={close} />}</Opener>
        </Specimen>
        <Specimen name="Views of this browser" opens="yes">
          <Still>
            <SavedViewsButton
              view={defaultRequestsView()}
              show={nothing}
              layout={DEFAULT_LAYOUT}
              rows={rows}
            />
          </Still>
        </Specimen>
        <Specimen name="Saved views, and a name for one more">
          <SavedViews />
        </Specimen>
      </GallerySection>
    </NetworksProvider>
  );
}
