'use client';
import { ActionIcon, Button } from '@mantine/core';
import { Icon } from '@/components/ui/icons';
import { formatMoment } from '@/lib/client/human-time';
import type { LoadedRequests } from '@/lib/client/requests';
import { defaultRequestsView, type RequestsView, withFilter } from '@/lib/contract/codec/requests-url';
import { parseIsoTime } from '@/lib/domain/units';
import classes from './summary.module.css';
import { useTableClock } from './table-clock';
import type { ShowView } from './use-requests-view';

function isFiltered({ networks, states, q, time }: RequestsView): boolean {
  const usual = defaultRequestsView().time;
  const isUsualTime = time.kind === 'last' && usual.kind === 'last' && time.range === usual.range;
  return networks.length > 0 || states.length > 0 || q !== '' || !isUsualTime;
}

function withoutFilters(view: RequestsView): RequestsView {
  return withFilter(view, { networks: [], states: [], q: '', time: defaultRequestsView().time });
}

/** When the rows were asked for, and the moment that they are pinned to, if they are. */
function asOfWords(page: LoadedRequests, nowMs: number): string {
  const asked = `as of ${formatMoment(page.atMs, nowMs)}`;
  const pinnedMs = page.view.asof === undefined ? undefined : parseIsoTime(page.view.asof);
  return pinnedMs === undefined ? asked : `${asked}, pinned to ${formatMoment(pinnedMs, nowMs)}`;
}

type Props = {
  view: RequestsView;
  /** What is counted, or why it is not known. */
  total: string;
  /** Undefined while there are no rows at all. */
  page: LoadedRequests | undefined;
  show: ShowView;
  /** Undefined before there is anything to ask for again. */
  onRefresh: (() => void) | undefined;
  activity: 'fetching' | 'idle';
};

/** What is counted, when it was asked for, and a way to ask again. */
export function Summary({ view, total, page, show, onRefresh, activity }: Props) {
  const nowMs = useTableClock();
  const unreadable = page?.rows.filter((row) => row.kind === 'unreadable').length ?? 0;
  return (
    <div className={classes.summary}>
      <p className={classes.total} role="status">
        {total}
      </p>
      {unreadable > 0 ? (
        <span className={classes.unreadable}>{unreadable} unreadable on this page</span>
      ) : null}
      {isFiltered(view) ? (
        <Button size="compact-xs" variant="subtle" onClick={() => show(withoutFilters(view), 'push')}>
          Clear filters
        </Button>
      ) : null}
      <div className={classes.asOf}>
        {view.asof === undefined ? null : (
          <Button size="compact-xs" variant="subtle" onClick={() => show(withFilter(view, {}), 'push')}>
            Back to the newest
          </Button>
        )}
        {page === undefined ? null : <span className="num">{asOfWords(page, nowMs)}</span>}
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
    </div>
  );
}
