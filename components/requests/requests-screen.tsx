'use client';
import { Button, Title } from '@mantine/core';
import dynamic from 'next/dynamic';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useTicking } from '@/components/ui/clock';
import { LiveControls } from '@/components/ui/live-controls';
import { orNotice } from '@/components/ui/part-not-loaded';
import { LinkedZone } from '@/components/ui/time-style';
import { QueryProvider } from '@/components/ui/use-query-text';
import { explainFailure } from '@/lib/core/explain-failure';
import type { Network } from '@/lib/core/network';
import type { FacetValue, ListedRow } from '@/lib/requests/answers';
import { type ColumnLayout, withFailures } from '@/lib/requests/columns';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { pageCount } from '@/lib/requests/load';
import { useNetworksById } from '@/lib/requests/networks';
import {
  applyNot,
  applyOnly,
  type Cell,
  type RequestsView,
  type Sort,
  withFilter,
} from '@/lib/requests/view';
import { FilterBar } from './filter-bar';
import { BeyondNote, type IndexProps, SyncNotice } from './index-status';
import panelClasses from './request.module.css';
import classes from './requests.module.css';
import {
  canonicalQuery,
  NetworksProvider,
  TableClockProvider,
  useRememberedLayout,
  useRequestsView,
} from './requests-context';
import { RequestsTable } from './requests-table';
import {
  EmptyResult,
  FoundElsewhere,
  ResultNotes,
  TroubleNotice,
  UrlProblems,
  useFound,
} from './result-notices';
import { Pager, Summary } from './summary';
import { type OpenRow, useOpenRow } from './use-one-request';
import { type RequestsSeed, useResults } from './use-results';
import { ViewFigures } from './view-figures';

const Histogram = dynamic(() => orNotice(import('./histogram').then((part) => part.Histogram)), {
  ssr: false,
  loading: () => <div className={classes.chart} />,
});

type Props = {
  seed: RequestsSeed;
  keepers: readonly string[];
  networks: readonly Network[];
  remembered: ColumnLayout;
  /** Unix milliseconds. */
  renderedAtMs: number;
};

/** The log table with everything around it. */
export function RequestsScreen(props: Props) {
  return (
    <QueryProvider canonical={canonicalQuery}>
      <TableClockProvider value={props.renderedAtMs}>
        <Screen {...props} />
      </TableClockProvider>
    </QueryProvider>
  );
}

const NO_ROWS: ListedRow[] = [];
const NO_STATUS: KeeperStatus[] = [];
const NO_VALUES: FacetValue[] = [];

function opened(view: RequestsView, key: string | undefined): RequestsView {
  const { open: _open, ...closed } = view;
  return key === undefined ? closed : { ...closed, open: key };
}

/** Another page of the same result: leaving the first pins it to `asof`, so that new rows shift nothing. */
function onPage(view: RequestsView, page: number, asof: string | undefined): RequestsView {
  const { open: _open, live: _live, ...kept } = view;
  const pinned = kept.asof ?? (page > 1 ? asof : undefined);
  return { ...kept, page, ...(pinned === undefined ? {} : { asof: pinned }) };
}

function Screen({ seed, keepers, networks, remembered, renderedAtMs }: Props) {
  const { view, problems, show } = useRequestsView();
  const [own, remember] = useRememberedLayout(remembered);
  const layout = view.columns ?? withFailures(own, view);
  const scroller = useRef<HTMLElement>(null);
  const pace = view.live === undefined ? 'still' : 'ticking';
  const isReading = useTicking(
    (nowMs) => (nowMs === renderedAtMs ? 'no' : isRead(scroller.current)),
    renderedAtMs,
    pace,
  );
  const reading = isReading === 'yes' || view.open !== undefined;
  const results = useResults(view, seed, reading);
  const { page, trouble, counts } = results;
  const rows = page?.rows ?? NO_ROWS;
  const facet = counts?.ok === true ? counts.value.facets.network : NO_VALUES;
  const ids = useMemo(
    () => [
      ...facet.map(({ value }) => value),
      ...rows.flatMap((row) => (row.kind === 'record' ? row.networkId : [])),
    ],
    [facet, rows],
  );
  const known = useNetworksById(networks, ids);
  const open = useOpenRow(view.open, rows);
  const index: IndexProps = {
    ...{ view, allKeepers: keepers, renderedAtMs },
    first: page?.index ?? NO_STATUS,
    firstAt: page?.asof,
  };

  const onLayout = (next: ColumnLayout) => {
    remember(next);
    show((now) => ({ ...now, columns: next }), 'replace');
  };
  const onSort = (sort: Sort) => show((now) => withFilter(now, { sort }), 'push');
  // A first row that is opened is a step back, the ones after it are not.
  const onOpen = (key: string | undefined) => {
    if (key !== view.open) show((now) => opened(now, key), view.open === undefined ? 'push' : 'replace');
  };
  const onFilter = (cell: Cell, way: 'for' | 'out') =>
    show((now) => (way === 'for' ? applyOnly : applyNot)(now, cell, keepers), 'push');
  const onSearch = useSearch(view, show);

  const notice =
    trouble === undefined ? null : (
      <TroubleNotice
        trouble={trouble}
        page={page}
        isOutdated={results.isOutdated}
        onRetry={results.refresh}
      />
    );
  const isEmpty = page !== undefined && page.rows.length === 0 && !results.isOutdated;
  const pages = page?.total === undefined ? undefined : Number(pageCount(page.total, page.view.size));
  return (
    <LinkedZone zone={view.zone} onLeave={() => show(({ zone: _zone, ...now }) => now, 'replace')}>
      <NetworksProvider networks={known}>
        <div className={classes.screen} data-fill="viewport">
          <h1 className="sr-only">Requests</h1>
          <LiveControls>
            <FilterBar
              view={view}
              keepers={keepers}
              networks={networks}
              facets={counts?.ok === true ? counts.value.facets : undefined}
              show={show}
              onSearch={onSearch}
            />
          </LiveControls>
          <UrlProblems problems={problems} />
          <div className={classes.chart}>
            <Histogram view={view} counts={counts} isOutdated={results.countsAreOutdated} show={show} />
          </div>
          <ViewFigures
            summary={counts?.ok === true ? counts.value : undefined}
            isOutdated={results.countsAreOutdated}
            show={show}
          />
          <Summary
            view={view}
            results={results}
            index={index}
            reading={reading}
            layout={layout}
            onLayout={onLayout}
            onSort={onSort}
            show={show}
          />
          <div className={classes.split}>
            <div className={classes.area}>
              <RequestsTable
                rows={rows}
                rowsKey={page?.viewKey ?? ''}
                marks={results.marks}
                layout={layout}
                onLayout={onLayout}
                sort={view.sort}
                onSort={onSort}
                openKey={view.open}
                onOpen={onOpen}
                onFilter={onFilter}
                isOutdated={results.isOutdated}
                scroller={scroller}
                below={
                  page === undefined ? (
                    notice
                  ) : isEmpty && trouble === undefined ? (
                    <>
                      <FoundElsewhere page={page} show={show} />
                      <EmptyResult page={page} keepers={keepers} show={show} index={index} />
                    </>
                  ) : null
                }
              />
              {/* What appears below the rows moves none of them. */}
              <div className={classes.notices}>
                {page === undefined ? null : notice}
                <SyncNotice {...index} />
                <BeyondNote {...index} />
                {page === undefined || isEmpty ? null : <FoundElsewhere page={page} show={show} />}
                {page === undefined ? null : <ResultNotes view={view} page={page} />}
              </div>
            </div>
            <OpenRequest open={open} rows={rows} networks={known} onOpen={onOpen} />
          </div>
          <Pager
            page={view.page}
            size={view.size}
            pages={results.isOutdated ? undefined : pages}
            onPage={(to) => show((now) => onPage(now, to, page?.asof), 'push')}
            onSize={(size) => show((now) => withFilter(now, { size }), 'push')}
          />
        </div>
      </NetworksProvider>
    </LinkedZone>
  );
}

function useSearch(view: RequestsView, show: ReturnType<typeof useRequestsView>['show']) {
  const [wanted, setWanted] = useState<string>();
  const isAsked = wanted !== undefined && wanted === view.q;
  const found = useFound(view.q, isAsked);
  const openOnly = useEffectEvent(() => {
    const [only] = found?.rows ?? [];
    setWanted(undefined);
    if (found?.total === '1' && only?.kind === 'record') show((now) => opened(now, only.key), 'replace');
  });
  useEffect(() => {
    if (found !== undefined && isAsked) openOnly();
  }, [found, isAsked]);
  return (q: string, as: 'typing' | 'whole') => {
    // Back leaves the search as a whole, and not the filter that was chosen before it.
    if (q !== view.q)
      show((now) => withFilter(now, { q }), (view.q === '') === (q === '') ? 'replace' : 'push');
    setWanted(as === 'whole' && q !== '' ? q : undefined);
  };
}

/**
 * Whether somebody reads in the table, so that nothing may move there: the pointer is over its rows, a row has the focus by
 * keyboard, text in it is selected, or it is scrolled down. Looked at with every drawing, and once a second.
 */
function isRead(area: HTMLElement | null): 'yes' | 'no' {
  if (area === null) return 'no';
  const selection = document.getSelection();
  const signs = [
    // A finger leaves its hover behind.
    window.matchMedia('(hover: hover)').matches && area.querySelector('tbody:hover') !== null,
    area.querySelector('tbody :focus-visible') !== null,
    selection?.isCollapsed === false && selection.containsNode(area, true),
    // Where rows are cards the page scrolls, and not the area.
    area.scrollTop > 4 || area.getBoundingClientRect().top < -4,
  ];
  return signs.includes(true) ? 'yes' : 'no';
}

const RequestPanel = dynamic(
  () => orNotice(import('./request-panel').then((module) => module.RequestPanel)),
  {
    ssr: false,
    loading: () => <PanelNotice title="Request" text="Loading…" />,
  },
);

function OpenRequest({
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
      return <PanelNotice title="Request" text="Loading…" onClose={close} />;
    case 'trouble':
      return (
        <PanelNotice title="Request unavailable" text={explainFailure(open.failure).title} onClose={close} />
      );
    case 'row': {
      const at = rows.findIndex((row) => row.key === open.row.key);
      const step = (by: 1 | -1) => onOpen(rows[at + by]?.key ?? open.row.key);
      return <RequestPanel row={open.row} networks={networks} onClose={close} onStep={step} />;
    }
  }
}

function PanelNotice({ title, text, onClose }: { title: string; text: string; onClose?: () => void }) {
  return (
    <aside className={panelClasses.panel} aria-label={title}>
      <div className={panelClasses.panelBody}>
        <Title order={2}>{title}</Title>
        <p>{text}</p>
        {onClose === undefined ? null : <Button onClick={onClose}>Close</Button>}
      </div>
    </aside>
  );
}
