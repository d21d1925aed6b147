'use client';
import { createRef, useMemo, useState } from 'react';
import { NetworksProvider } from '@/components/requests/networks-context';
import { ResultNotes } from '@/components/requests/result-notes';
import { Results } from '@/components/requests/results';
import { Summary } from '@/components/requests/summary';
import { TableClockProvider } from '@/components/requests/table-clock';
import type { ShowView } from '@/components/requests/use-requests-view';
import { DEFAULT_LAYOUT } from '@/lib/client/column-layout';
import { type Following, NOTHING_FOLLOWED } from '@/lib/client/following';
import { sortLoaded, withinLoaded } from '@/lib/client/loaded-rows';
import type { OpenRow } from '@/lib/client/open-row';
import type { LoadedRequests, Trouble } from '@/lib/client/requests';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { defaultRequestsView, type RequestsView } from '@/lib/contract/codec/requests-url';
import { galleryRows, NETWORKS } from './request-fixtures';
import { FAILURES, loaded, trouble } from './result-fixtures';
import { GallerySection, Specimen } from './specimen';
import { Still } from './still';

const nothing = () => undefined;
const KEEPERS = ['main', 'test'];
/** Nobody reads here, so nothing is held back. */
const NOWHERE = createRef<HTMLDivElement>();
const HOUR_MS = 3_600_000;

/** What is on screen of a view, without anybody to ask. */
type Screen = {
  name: string;
  view?: Partial<RequestsView>;
  page?: LoadedRequests;
  trouble?: Trouble;
  open?: OpenRow;
};

function screensOf(rows: ListedRow[], nowMs: number): Screen[] {
  const [unreachable, unauthorized] = FAILURES.map((failure) => trouble(failure, nowMs));
  const none = { q: '12345', states: ['failed'], networks: ['8453'] };
  const hidden = {
    within: { only: [{ column: 'sender' as const, value: `0x${'77'.repeat(20)}` }], not: [] },
  };
  const stale = loaded(rows, nowMs - 95_000);
  const [first] = rows;
  return [
    { name: 'Loading: before anything came' },
    { name: 'Failing before anything came', trouble: unauthorized },
    { name: 'Stale: rows of before, and why there are no newer ones', page: stale, trouble: unreachable },
    { name: 'Another view is on its way: the rows before are dimmed', view: none, page: loaded(rows, nowMs) },
    { name: 'Nothing matches', view: none, page: loaded([], nowMs, none) },
    { name: 'Hidden by filters within the rows', view: hidden, page: loaded(rows, nowMs, hidden) },
    {
      name: 'A row is open beside the table',
      page: loaded(rows, nowMs),
      open: first === undefined ? { kind: 'none' } : { kind: 'row', row: first },
    },
    { name: 'The open row is on its way', page: loaded(rows.slice(0, 3), nowMs), open: { kind: 'loading' } },
    {
      name: 'The open row is not in the log',
      page: loaded(rows.slice(0, 3), nowMs),
      open: {
        kind: 'trouble',
        failure: { kind: 'missing', service: 'logs', detail: 'No such request in the log.' },
      },
    },
  ];
}

function Screen({ of: { view: change, page, trouble, open = { kind: 'none' } } }: { of: Screen }) {
  const [view, setView] = useState(() => ({ ...defaultRequestsView(), ...change }));
  const [layout, setLayout] = useState(DEFAULT_LAYOUT);
  const show: ShowView = (to) => setView(to);
  const rows = page?.rows ?? [];
  const within = withinLoaded(rows, view.within);
  const known = {
    answer: page === undefined && trouble === undefined ? undefined : { page, trouble },
    page,
    rows,
    trouble,
    followed: { ...NOTHING_FOLLOWED, shown: page },
    visible: { rows: sortLoaded(within.rows, view.sort), hidden: within.hidden },
    newRows: undefined,
    open,
    networks: NETWORKS,
    activity: 'idle' as const,
    refresh: nothing,
    area: NOWHERE,
  };
  const first = new Promise<never>(nothing);
  return (
    <Results
      view={view}
      seed={{ viewKey: '', first }}
      known={known}
      networks={NETWORKS}
      keepers={KEEPERS}
      layout={layout}
      onLayout={setLayout}
      show={show}
    />
  );
}

type Live = {
  name: string;
  view?: Partial<RequestsView>;
  followed?: Partial<Following>;
  newRows?: string;
  activity?: 'fetching' | 'idle';
  page?: 'none';
};

function livesAt(nowMs: number): Live[] {
  const live = { live: 2 };
  const page = loaded([], nowMs, live);
  const waiting = (added: number, changed: number, reach: 'all' | 'some') => ({
    waiting: { page, added, changed, reach },
  });
  return [
    { name: 'Not following, nothing new' },
    { name: 'Not following, 12 came since', newRows: '12' },
    { name: 'Pinned to a moment', view: { asof: new Date(nowMs - HOUR_MS).toISOString() }, newRows: '0' },
    { name: 'Following every 2 s', view: live },
    { name: 'Following every 7 s, as a link asks', view: { live: 7 } },
    { name: 'Paused, nothing waits', view: live, followed: waiting(0, 0, 'some') },
    { name: 'Paused, 14 new and 2 changed wait', view: live, followed: waiting(14, 2, 'some') },
    { name: 'Paused, more wait than fit', view: live, followed: waiting(50, 0, 'all') },
    { name: 'Following, some were skipped', view: live, followed: { skippedAtMs: nowMs - 40_000 } },
    { name: 'Asking', activity: 'fetching' },
    { name: 'With filters and unreadable rows', view: { states: ['pending'], networks: ['8453'] } },
    { name: 'Before anything came', page: 'none' },
  ];
}

function Bar({ of, rows, nowMs }: { of: Live; rows: ListedRow[]; nowMs: number }) {
  const { view: change, followed, newRows, activity = 'idle' } = of;
  const view = { ...defaultRequestsView(), ...change };
  const page = of.page === 'none' ? undefined : loaded(rows, nowMs, change);
  return (
    <Summary
      view={view}
      total={page === undefined ? 'Loading requests…' : '1,234,567 requests in the last 24 hours'}
      page={page}
      newRows={newRows}
      followed={{ ...NOTHING_FOLLOWED, shown: page, ...followed }}
      layout={DEFAULT_LAYOUT}
      onLayout={nothing}
      onSort={nothing}
      show={nothing}
      onRefresh={page === undefined ? undefined : nothing}
      activity={activity}
    />
  );
}

/** Every note at once: each of them is a line of its own. */
function Notes({ rows, nowMs }: { rows: ListedRow[]; nowMs: number }) {
  const view = { ...defaultRequestsView(), networks: ['8453', '777'], expected: '1240' };
  const page = loaded(rows, nowMs, view, {
    changed: 3,
    unserved: [{ keeper: 'main', networkId: '777' }],
    total: '1234',
    // Asked for long before the newest row was made, by this dashboard's clock.
    atMs: nowMs - 300_000,
  });
  return <ResultNotes view={view} page={page} hidden={4} />;
}

/** The table with everything that stands around it, and what is said above and below it. */
export function ResultsSection({ nowMs }: { nowMs: number }) {
  const rows = useMemo(() => galleryRows(nowMs), [nowMs]);
  return (
    <TableClockProvider renderedAtMs={nowMs}>
      <NetworksProvider networks={NETWORKS}>
        <GallerySection name="results">
          <Still>
            {livesAt(nowMs).map((of) => (
              <Specimen key={of.name} name={of.name}>
                <Bar of={of} rows={rows} nowMs={nowMs} />
              </Specimen>
            ))}
            <Specimen name="Notes under the rows">
              <Notes rows={rows} nowMs={nowMs} />
            </Specimen>
            {screensOf(rows, nowMs).map((of) => (
              <Specimen key={of.name} name={of.name} height="36rem">
                <Screen of={of} />
              </Specimen>
            ))}
          </Still>
        </GallerySection>
      </NetworksProvider>
    </TableClockProvider>
  );
}
