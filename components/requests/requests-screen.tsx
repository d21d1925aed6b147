'use client';
import { Alert, Button, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import dynamic from 'next/dynamic';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { LiveControls } from '@/components/ui/live-controls';
import { NetworksProvider } from '@/components/ui/networks';
import { noticeOnFailure } from '@/components/ui/part-not-loaded';
import { LinkedZone } from '@/components/ui/time-style';
import { UrlProblems } from '@/components/ui/url-problems';
import { explainFailure } from '@/lib/core/explain-failure';
import type { Network } from '@/lib/core/network';
import { parseIsoTime } from '@/lib/core/time';
import { writeCookie } from '@/lib/core/time-text';
import { rememberList, rememberRows } from '@/lib/requests/client/browsing-history';
import { useNetworksById } from '@/lib/requests/client/use-networks';
import { type ColumnLayout, layoutCookie, withFailures } from '@/lib/requests/columns';
import { applyNot, applyOnly, asNewList } from '@/lib/requests/filters';
import { pageCount, type RequestsText } from '@/lib/requests/load';
import type { FacetValue, ListedRow } from '@/lib/requests/requests-response';
import { type Cell, omit, type RequestsView, type Sort, withOpen } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import { FilterBar } from './filter-bar';
import { IndexNotices, type IndexProps } from './index-status';
import panelClasses from './request.module.css';
import classes from './requests.module.css';
import { RequestsProvider, useRequests } from './requests-context';
import { RequestsTable } from './requests-table';
import { MatchesElsewhere, ResultNotes, TroubleNotice, useAllTimeMatches } from './result-notices';
import { useSelection } from './selection';
import { Pager, ResultSummary } from './summary';
import { useOpenRow } from './use-request';
import { type Results, useResults } from './use-results';
import { ViewFigures } from './view-figures';

const Histogram = dynamic(() => noticeOnFailure(import('./histogram').then((part) => part.HistogramChart)), {
  ssr: false,
});
// An empty result is not in the server's HTML: a click on its buttons would be lost until its script has loaded.
const EmptyResult = dynamic(
  () => noticeOnFailure(import('./empty-result').then((part) => part.EmptyResult)),
  { ssr: false },
);
const RequestPanel = dynamic(
  () => noticeOnFailure(import('./request-panel').then((part) => part.RequestPanel)),
  {
    ssr: false,
    loading: () => <PanelNotice title="Request" text="Loading…" />,
  },
);

type Props = {
  initial: RequestsText;
  keepers: readonly string[];
  networks: readonly Network[];
  remembered: ColumnLayout;
};

export function RequestsScreen({ keepers, networks, ...props }: Props) {
  return (
    <RequestsProvider keepers={keepers} networks={networks}>
      <Screen {...props} />
    </RequestsProvider>
  );
}

const NONE: never[] = [];

/** Leaving the first page pins the view to `asof`, so that new rows don't shift the pages. */
function atPage(view: RequestsView, page: number, asof: string | undefined): RequestsView {
  return { ...(page > 1 && asof !== undefined && { asof }), ...omit(view, 'open', 'live'), page };
}

function Screen({ initial, remembered }: Omit<Props, 'keepers' | 'networks'>) {
  const { view, problems, show, keepers } = useRequests();
  const scroller = useRef<HTMLElement>(null);
  const reading = useReading(scroller) || view.open !== undefined;
  const results = useResults(view, initial, reading);
  const { page, isOutdated } = results;
  const rows: readonly ListedRow[] = page?.rows ?? NONE;
  const summary = results.counts?.ok ? results.counts.value : undefined;
  const networks = useNetworksInSight(rows, summary?.facets.network ?? NONE);
  const matches = useAllTimeMatches(view.q, false);
  const open = useOpenRow(view.open, [...rows, ...(matches?.rows ?? NONE)]);
  const selection = useSelection(rows, page?.viewKey ?? '');
  const table = { ...useLayout(remembered, page?.view ?? view), ...useTableActions(), rows, selection };
  const index: IndexProps = {
    keepers: view.keepers.length === 0 ? keepers : view.keepers,
    first: page?.index ?? NONE,
    // A pinned list is older than the status that came with it.
    firstAtMs: view.asof === undefined ? parseIsoTime(page?.asof ?? '') : page?.atMs,
  };
  const areCountsDimmed = useDelayedTrue(results.countsAreOutdated);
  const isDimmed = useDelayedTrue(isOutdated);
  const listPath = formatRequestsUrl(withOpen(view, undefined));
  useEffect(() => rememberList(listPath), [listPath]);
  useEffect(() => rememberRows(rows.map(({ key }) => key)), [rows]);
  return (
    <LinkedZone zone={view.zone} onLeave={() => show((now) => omit(now, 'zone'), 'replace')}>
      <NetworksProvider networks={networks}>
        <div className={classes.screen} data-fill="viewport">
          <h1 className="sr-only">Requests</h1>
          <LiveControls>
            <FilterBar facets={summary?.facets} />
          </LiveControls>
          <Refusal />
          <UrlProblems problems={problems} />
          <div className={classes.overview}>
            <Histogram counts={results.counts} isOutdated={areCountsDimmed} />
            <ViewFigures summary={summary} index={index.first} isOutdated={areCountsDimmed} />
          </div>
          <ResultSummary {...{ results, index, reading }} {...table} />
          <div className={classes.split}>
            <div className={classes.main}>
              <RequestsTable
                {...table}
                scroller={scroller}
                isOutdated={isDimmed}
                rowsKey={page?.viewKey ?? ''}
                marks={results.marks}
                sort={view.sort}
                openKey={view.open}
                below={<BelowRows results={results} index={index} />}
              />
              <Notices results={results} index={index} />
            </div>
            {view.open !== undefined && (
              <OpenRequest {...open} rows={rows} onOpen={table.onOpen} networks={networks} />
            )}
          </div>
          <Pager
            isNeeded={(page !== undefined && !isEmpty(results)) || view.page > 1}
            pages={isOutdated ? undefined : page && Number(pageCount(page.total, page.view.size))}
            onPage={(to) => show((now) => atPage(now, to, page?.asof), 'push')}
          />
        </div>
      </NetworksProvider>
    </LinkedZone>
  );
}

/** The columns of a link, else those of this browser. `shown` is the view whose rows are on screen. */
function useLayout(remembered: ColumnLayout, shown: RequestsView) {
  const { view, show } = useRequests();
  const [stored, setStored] = useState(remembered);
  const onLayout = (next: ColumnLayout) => {
    setStored(next);
    writeCookie(document, layoutCookie(next));
    show((now) => ({ ...now, columns: next }), 'replace');
  };
  // The failure column appears together with the rows of the filter that adds it.
  return { layout: view.columns ?? withFailures(stored, shown), onLayout };
}

function useTableActions() {
  const { view, show } = useRequests();
  return {
    onSort: (sort: Sort) => show((now) => asNewList(now, { sort }), 'push'),
    // Only opening the first row adds a history entry.
    onOpen: (key: string | undefined) => {
      if (key !== view.open) show((now) => withOpen(now, key), view.open === undefined ? 'push' : 'replace');
    },
    onFilter: (cell: Cell, mode: 'include' | 'exclude') =>
      show((now) => (mode === 'include' ? applyOnly : applyNot)(now, cell), 'push'),
  };
}

function useNetworksInSight(rows: readonly ListedRow[], counted: readonly FacetValue[]) {
  const { networks } = useRequests();
  const ids = useMemo(
    () => [
      ...counted.map(({ value }) => value),
      ...rows.flatMap((row) => (row.kind === 'record' ? row.networkId : [])),
    ],
    [counted, rows],
  );
  return useNetworksById(networks, ids);
}

function Refusal() {
  const { refusal } = useRequests();
  if (refusal === undefined) return null;
  return (
    <Alert role="alert" p="xs" aria-label="Filter not applied">
      {refusal}
    </Alert>
  );
}

type PartProps = { results: Results; index: IndexProps };

const isEmpty = ({ page, isOutdated }: Results) => page?.rows.length === 0 && !isOutdated;

function BelowRows({ results, index }: PartProps) {
  const { page, trouble, total } = results;
  if (page === undefined) return <TroubleNotice {...results} />;
  if (!isEmpty(results) || trouble !== undefined) return null;
  return (
    <EmptyResult
      view={page.view}
      total={total ?? page.total}
      countedUntil={page.asof}
      isCounting={page.counting === true}
      index={index}
    />
  );
}

/** Notices below the rows, so that none moves a row. */
function Notices({ results, index }: PartProps) {
  const { view } = useRequests();
  const { page } = results;
  return (
    <div className={classes.notices}>
      {page && <TroubleNotice {...results} />}
      <IndexNotices view={view} {...index} />
      {page && !isEmpty(results) && <MatchesElsewhere page={page} />}
      {page && <ResultNotes page={page} />}
    </div>
  );
}

/** Dimming outdated rows for a quick answer would cost as much as rendering the answer. */
const DIMMED_AFTER_MS = 150;

function useDelayedTrue(value: boolean): boolean {
  const [delayed] = useDebouncedValue(value, DIMMED_AFTER_MS);
  return value && delayed;
}

const READING_EVENTS = 'pointerover pointerout focusin focusout keydown selectionchange scroll'.split(' ');

/** Rows must not move while somebody is reading in the table. */
function useReading(area: RefObject<HTMLElement | null>): boolean {
  const [isReading, setReading] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const update = () => setReading(isReadingTable(area.current));
    const options = { capture: true, passive: true, signal: stop.signal };
    for (const event of READING_EVENTS) document.addEventListener(event, update, options);
    return () => stop.abort();
  }, [area]);
  return isReading;
}

/** The pointer is over the rows, a row has keyboard focus, text is selected, or the table is scrolled down. */
function isReadingTable(area: HTMLElement | null): boolean {
  if (area === null) return false;
  const selection = document.getSelection();
  return (
    // Touch leaves `:hover` set.
    (window.matchMedia('(hover: hover)').matches && area.querySelector('tbody:hover') !== null) ||
    area.querySelector('tbody :focus-visible') !== null ||
    (selection?.isCollapsed === false && selection.containsNode(area, true)) ||
    // Cards scroll the page instead of the area.
    area.scrollTop > 4 ||
    area.getBoundingClientRect().top < -4
  );
}

type OpenProps = ReturnType<typeof useOpenRow> & {
  rows: readonly ListedRow[];
  networks: readonly Network[];
  onOpen: (key: string | undefined) => void;
};

function OpenRequest({ row, failure, rows, networks, onOpen }: OpenProps) {
  const onClose = () => onOpen(undefined);
  if (row === undefined) {
    const title = failure === undefined ? 'Request' : 'Request unavailable';
    const text = failure === undefined ? 'Loading…' : explainFailure(failure).title;
    return <PanelNotice {...{ title, text, onClose }} />;
  }
  const index = rows.findIndex(({ key }) => key === row.key);
  const onStep = (by: 1 | -1) => onOpen(rows[index + by]?.key ?? row.key);
  return <RequestPanel {...{ row, networks, onClose, onStep }} />;
}

function PanelNotice({ title, text, onClose }: { title: string; text: string; onClose?: () => void }) {
  return (
    <aside className={panelClasses.panel} aria-label={title}>
      <div className={panelClasses.panelBody}>
        <Title order={2}>{title}</Title>
        <p>{text}</p>
        {onClose && <Button onClick={onClose}>Close</Button>}
      </div>
    </aside>
  );
}
