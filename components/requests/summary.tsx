'use client';
import { ActionIcon, Button } from '@mantine/core';
import { Icon } from '@/components/ui/icons';
import { LiveControls } from '@/components/ui/live-controls';
import type { Following } from '@/lib/client/following';
import { groupDigits } from '@/lib/client/human-number';
import { type LoadedRequests, viewKeyOf } from '@/lib/client/requests';
import { useMomentWords, useSteadyWords } from '@/lib/client/time-style';
import { parseIsoTime } from '@/lib/domain/units';
import type { ColumnLayout } from '@/lib/requests/columns';
import { type RequestsView, type Sort, withFilter } from '@/lib/requests/view';
import { ColumnsMenu } from './column-menu';
import { ExportDialog } from './export-dialog';
import { isFiltered, withoutFilters } from './filter-count';
import { LiveSwitch, waitingWords } from './live-switch';
import { SavedViews } from './saved-views';
import { ShareDialog } from './share-dialog';
import classes from './summary.module.css';
import type { ShowView } from './use-requests-view';

/** When the rows were asked for, or the moment that they are pinned to. */
function AsOf({ page }: { page: LoadedRequests }) {
  const momentWords = useMomentWords();
  const pinnedMs = page.view.asof === undefined ? undefined : parseIsoTime(page.view.asof);
  const asked = `as of ${momentWords(page.atMs)}`;
  if (pinnedMs === undefined) return <span className="num">{asked}</span>;
  return (
    <span
      className="num"
      title={`The rows, up to then, ${asked}`}
    >{`pinned to ${momentWords(pinnedMs)}`}</span>
  );
}

type Props = {
  view: RequestsView;
  /** What is counted, or why it is not known. */
  total: string;
  /** Undefined while there are no rows at all. */
  page: LoadedRequests | undefined;
  /** Matches made since the result was pinned, decimal digits; undefined while not known. */
  newRows: string | undefined;
  followed: Following;
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  onSort: (sort: Sort) => void;
  show: ShowView;
  /** Undefined before there is anything to ask for again. */
  onRefresh: (() => void) | undefined;
  activity: 'fetching' | 'idle';
};

/** What came since the rows were asked for, and the way to it; a pinned list has one in any case. */
function Newest({ newRows, page, show, onRefresh }: Pick<Props, 'newRows' | 'page' | 'show' | 'onRefresh'>) {
  // An age would read “1 new since 7 s ago”.
  const since = useSteadyWords()(page === undefined ? 0 : (parseIsoTime(page.asof) ?? page.atMs));
  if (page === undefined) return null;
  const { view } = page;
  const isPinned = view.asof !== undefined || view.page > 1;
  const toNewest = isPinned ? () => show((now) => withFilter(now, {}), 'push') : onRefresh;
  const isNone = newRows === undefined || newRows === '0';
  if (isNone && !isPinned) return null;
  return (
    <Button size="compact-xs" variant={isNone ? 'subtle' : 'light'} onClick={toNewest}>
      {isNone ? 'Back to the newest' : `${groupDigits(newRows)} new since ${since}`}
    </Button>
  );
}

/** What is counted, in words, and how to count everything again. */
function Counted({ view, total, page, show }: Pick<Props, 'view' | 'total' | 'page' | 'show'>) {
  const unreadable = page?.rows.filter((row) => row.kind === 'unreadable').length ?? 0;
  return (
    <div className={classes.counted}>
      {/* While rows are followed the count changes every second, which nobody wants to be read out. */}
      <p className={classes.total} role="status" aria-live={view.live === undefined ? 'polite' : 'off'}>
        {total}
      </p>
      {unreadable > 0 ? (
        <span className={classes.unreadable}>{unreadable} unreadable on this page</span>
      ) : null}
      {isFiltered(view) ? (
        <Button size="compact-xs" variant="subtle" onClick={() => show(withoutFilters, 'push')}>
          Clear filters
        </Button>
      ) : null}
    </div>
  );
}

/** A file of all matches, a link to these rows, and views to come back to. */
function TakeAway({ view, page, layout, show }: Props) {
  const listing = page?.viewKey === viewKeyOf(view) ? page : undefined;
  const shown = { view, layout, total: listing?.total, asof: listing?.asof };
  return (
    <>
      <ExportDialog {...shown} />
      <ShareDialog {...shown} />
      <SavedViews view={view} layout={layout} onShow={(chosen) => show(() => chosen, 'push')} />
    </>
  );
}

/** What is counted, when it was asked for, and what can be done with the whole. */
export function Summary(props: Props) {
  const { view, page, followed, layout, onLayout, onSort, show, onRefresh, activity } = props;
  const waits = waitingWords(view, followed, useSteadyWords());
  return (
    <div className={classes.summary}>
      <Counted {...props} />
      {/* One thing at a time stands here, so that nothing else has to make room. */}
      <div className={classes.asOf}>
        {waits !== undefined ? <span className={classes.waits}>{waits}</span> : <Newest {...props} />}
        {page === undefined || waits !== undefined ? null : <AsOf page={page} />}
      </div>
      <LiveControls>
        <div className={classes.tools}>
          <LiveSwitch view={view} show={show} />
          <ColumnsMenu layout={layout} onLayout={onLayout} sort={view.sort} onSort={onSort} />
          <TakeAway {...props} />
          <ActionIcon
            aria-label="Refresh"
            title="Refresh"
            data-activity={activity}
            className={classes.refresh}
            disabled={onRefresh === undefined}
            onClick={onRefresh}
          >
            <Icon name="refresh" size={14} />
          </ActionIcon>
        </div>
      </LiveControls>
    </div>
  );
}
