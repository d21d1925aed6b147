'use client';
import { ActionIcon, Button, Toolbar } from '@mantine/core';
import { Icon } from '@/components/ui/icons';
import { LiveControls } from '@/components/ui/live-controls';
import { useShortcut } from '@/components/ui/shortcuts';
import { useMomentWords, useSteadyWords } from '@/components/ui/time-style';
import { parseIsoTime } from '@/lib/core/time';
import type { ColumnLayout } from '@/lib/requests/columns';
import { withFilter } from '@/lib/requests/view';
import type { RequestsView, Sort } from '@/lib/requests/view-shape';
import { ColumnSettings } from './column-settings';
import { describeTotal } from './describe-view';
import { ExportDialog } from './export-dialog';
import { type IndexProps, IndexStatus } from './index-status';
import { useNetworks } from './networks-context';
import { SavedViews } from './saved-views';
import { ShareDialog } from './share-dialog';
import classes from './summary.module.css';
import type { ShowView } from './use-requests-view';
import type { Results } from './use-results';

type Props = {
  view: RequestsView;
  results: Results;
  index: IndexProps;
  /** Somebody reads in the table, so that no row may move. */
  reading: boolean;
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  onSort: (sort: Sort) => void;
  show: ShowView;
};

/** What is counted, how far the index reaches, what waits, and what can be done with the whole. */
export function Summary({ view, results, index, reading, layout, onLayout, onSort, show }: Props) {
  const { page, trouble } = results;
  const networks = useNetworks();
  const moment = useSteadyWords();
  const network = (id: string) => networks.get(id)?.name ?? `network ${id}`;
  const unreadable = page?.rows.filter((row) => row.kind === 'unreadable').length ?? 0;
  const total =
    page?.total === undefined
      ? trouble === undefined
        ? 'Loading requests…'
        : 'Count unavailable'
      : describeTotal(page.total, page.view, { network, moment });
  const listing = page !== undefined && !results.isOutdated ? page : undefined;
  const shown = { view, layout, total: listing?.total, asof: listing?.asof };
  return (
    <div className={classes.summary}>
      {/* While rows are followed the count changes every second, which nobody wants to be read out. */}
      <p className={classes.total} role="status" aria-live={view.live === undefined ? 'polite' : 'off'}>
        {total}
      </p>
      {unreadable > 0 ? (
        <span className={classes.unreadable}>{unreadable} unreadable on this page</span>
      ) : null}
      <IndexStatus {...index} />
      {/* One thing at a time stands here, so that nothing else has to make room. */}
      <div className={classes.waits}>
        <Waiting view={view} results={results} reading={reading} show={show} />
      </div>
      <LiveControls>
        <Toolbar withBorder={false} className={classes.tools} aria-label="Table tools">
          <LiveSwitch view={view} show={show} />
          <ColumnSettings layout={layout} onLayout={onLayout} sort={view.sort} onSort={onSort} />
          <ExportDialog {...shown} />
          <ShareDialog {...shown} />
          <SavedViews view={view} layout={layout} onShow={(chosen) => show(() => chosen, 'push')} />
          <ActionIcon
            data-toolbar-toggle=""
            aria-label="Refresh"
            title="Refresh"
            disabled={page === undefined}
            loading={false}
            data-busy={results.isLoading ? 'yes' : undefined}
            onClick={() => {
              results.take();
              results.refresh();
            }}
          >
            <Icon name="refresh" size={14} />
          </ActionIcon>
        </Toolbar>
      </LiveControls>
    </div>
  );
}

/** What came since the rows were shown, and the way to it; a pinned list has one in any case. */
function Waiting({ view, results, reading, show }: Pick<Props, 'view' | 'results' | 'reading' | 'show'>) {
  const moment = useMomentWords();
  const { page, waiting, take } = results;
  if (page === undefined) return null;
  const pinnedMs = view.asof === undefined ? undefined : parseIsoTime(view.asof);
  if (pinnedMs !== undefined) {
    return (
      <Button
        size="compact-xs"
        variant="subtle"
        title={`Requests up to ${moment(pinnedMs)}`}
        onClick={() => show((now) => withFilter(now, {}), 'push')}
      >
        Back to newest
      </Button>
    );
  }
  const added = waiting?.added ?? 0;
  const count = `${added}${waiting?.reach === 'all' ? '+' : ''} new`;
  if (view.live !== undefined && reading) {
    return (
      <Button size="compact-xs" variant="light" onClick={take} title="Rows hold still while you read">
        {added === 0 ? 'Paused' : `Paused · ${count}`}
      </Button>
    );
  }
  if (added > 0) {
    return (
      <Button size="compact-xs" variant="light" onClick={take}>
        {count}
      </Button>
    );
  }
  return <span className={classes.updated}>Updated {moment(page.atMs)}</span>;
}

/** A link may bring another pace; the index tells of new rows at most once a second. */
const USUAL_LIVE_S = 2;

/** Turns following of new rows on and off. */
function LiveSwitch({ view, show }: Pick<Props, 'view' | 'show'>) {
  const isLive = view.live !== undefined;
  const turn = () =>
    show(
      ({ live: _live, ...still }) =>
        isLive ? still : { ...withFilter(still, { sort: 'created.desc' }), live: USUAL_LIVE_S },
      'push',
    );
  useShortcut('l', turn);
  return (
    <Button
      data-toolbar-toggle=""
      size="compact-xs"
      aria-label="Live"
      aria-pressed={isLive}
      variant={isLive ? 'filled' : 'default'}
      leftSection={<Icon name={isLive ? 'pause' : 'play'} size={12} />}
      title={isLive ? 'Stop following new rows (L)' : 'Follow new rows (L)'}
      onClick={turn}
    >
      Live
    </Button>
  );
}
