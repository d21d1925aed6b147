'use client';
import { ActionIcon, Text, Toolbar } from '@mantine/core';
import dynamic from 'next/dynamic';
import { type ComponentType, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { LatePopover } from '@/components/ui/late-popover';
import { useLive } from '@/components/ui/live-controls';
import { useNetworks } from '@/components/ui/networks';
import { noticeOnFailure } from '@/components/ui/part-not-loaded';
import { useShortcut } from '@/components/ui/shortcuts';
import { SmallButton } from '@/components/ui/text';
import { useMomentWords, useSteadyWords } from '@/components/ui/time-style';
import { parseIsoTime } from '@/lib/core/time';
import type { ColumnLayout } from '@/lib/requests/columns';
import { lastReadMs } from '@/lib/requests/coverage';
import { asNewList } from '@/lib/requests/filters';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import type { ListedRow } from '@/lib/requests/requests-response';
import type { Sort } from '@/lib/requests/view';
import { describeTotal } from '@/lib/requests/view-labels';
import { type IndexProps, IndexStatus, useIndexStatus } from './index-status';
import type { PagerProps } from './pager-controls';
import classes from './requests.module.css';
import { useRequests } from './requests-context';
import type { Selection } from './selection';
import type { Results } from './use-results';

const SelectionTools = dynamic(
  () => noticeOnFailure(import('./selection-tools').then((part) => part.SelectionTools)),
  { ssr: false, loading: () => <div className={classes.tools} /> },
);

type Props = {
  results: Results;
  index: IndexProps;
  reading: boolean;
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  onSort: (sort: Sort) => void;
  rows: readonly ListedRow[];
  selection: Selection;
};

/** The first count is not there yet, which must not be read as 0. */
const countingText = (index: readonly KeeperStatus[]) =>
  index.some(({ failure }) => failure !== null) ? 'Count unavailable' : 'Counting…';

export function ResultSummary(props: Props) {
  const { results, index, rows, selection } = props;
  const live = useLive();
  const { view } = useRequests();
  const networks = useNetworks();
  const moment = useSteadyWords();
  const { page, trouble } = results;
  const { statuses, nowMs } = useIndexStatus(index);
  const network = (id: string) => networks.get(id)?.name ?? `network ${id}`;
  const unreadable = page?.rows.filter((row) => row.kind === 'unreadable').length ?? 0;
  return (
    <div className={classes.summary}>
      {/* Live updates change the count every second, too often for a live region. */}
      <p className="num" role="status" aria-live={view.live === undefined ? 'polite' : 'off'}>
        {page !== undefined &&
          (page.counting
            ? countingText(page.index)
            : describeTotal(
                results.total ?? '',
                page.view,
                { network, moment, lastReadMs: lastReadMs(statuses, page.view, nowMs) },
                page.asof,
                results.pendingGone,
              ))}
        {page === undefined && (trouble === undefined ? 'Loading requests…' : 'Count unavailable')}
      </p>
      {unreadable > 0 && (
        <Text c="var(--ks-odd)" fw={600}>
          {unreadable} unreadable on this page
        </Text>
      )}
      <IndexStatus {...index} />
      {/* Its place is reserved in the server's HTML, because the tools need scripts. */}
      {selection.keys !== undefined ? (
        <SelectionTools rows={rows} selection={selection} />
      ) : live ? (
        <Tools {...props} />
      ) : (
        <div className={classes.tools} />
      )}
    </div>
  );
}

function Tools({ results, reading, layout, onLayout, onSort, selection }: Props) {
  const { view } = useRequests();
  const [hasMore, setMore] = useState(false);
  const { page } = results;
  const listing = results.isOutdated ? undefined : page;
  const shown = { layout, total: listing && results.total, asof: listing?.asof };
  return (
    <Toolbar
      withBorder={false}
      className={classes.tools}
      aria-label="Table tools"
      data-more={hasMore || undefined}
    >
      <span className={classes.waiting}>
        <Waiting results={results} reading={reading} />
      </span>
      <LiveSwitch />
      <TableTool
        label="Columns"
        pick={(tools) => tools.ColumnSettings}
        form={{ layout, onLayout, sort: view.sort, onSort }}
      />
      <TableTool label="Export" pick={(tools) => tools.ExportForm} form={shown} />
      <SmallButton
        data-toolbar-toggle=""
        visibleFrom="sm"
        title="Select several rows (X)"
        onClick={selection.start}
      >
        Select
      </SmallButton>
      <TableTool label="Share" pick={(tools) => tools.ShareLink} form={shown} />
      <TableTool label="Views" pick={(tools) => tools.SavedViews} form={{ layout }} />
      <SmallButton
        data-toolbar-toggle=""
        className={classes.more}
        aria-expanded={hasMore}
        onClick={() => setMore(!hasMore)}
      >
        {hasMore ? 'Less' : 'More'}
      </SmallButton>
      <ActionIcon
        data-toolbar-toggle=""
        aria-label="Refresh"
        title="Refresh"
        disabled={page === undefined}
        onClick={() => {
          results.showNew();
          results.refresh();
        }}
      >
        <Icon name="refresh" size={14} />
      </ActionIcon>
    </Toolbar>
  );
}

function Waiting({ results: { page, waiting, showNew }, reading }: Pick<Props, 'results' | 'reading'>) {
  const { view, show } = useRequests();
  const moment = useMomentWords();
  const pinnedMs = parseIsoTime(view.asof ?? '');
  // A refused pin has no page of rows, but it can still be removed.
  if (page === undefined && pinnedMs === undefined) return null;
  const added = waiting?.added ?? 0;
  const count = `${added}${waiting?.reach === 'all' ? '+' : ''} new`;
  const isPaused = view.live !== undefined && reading;
  if (pinnedMs === undefined && !isPaused && added === 0) {
    return null;
  }
  const [label, title] =
    pinnedMs !== undefined
      ? ['Back to newest', `Requests up to ${moment(pinnedMs)}`]
      : isPaused
        ? [added === 0 ? 'Paused' : `Paused · ${count}`, 'Rows hold still while you read']
        : [count, 'Show them'];
  return (
    <SmallButton
      data-toolbar-toggle=""
      variant="light"
      title={title}
      onClick={() => (pinnedMs === undefined ? showNew() : show((now) => asNewList(now), 'push'))}
    >
      {label}
    </SmallButton>
  );
}

/** Live updates, seconds. The index reports new rows at most once a second. */
const DEFAULT_LIVE_S = 2;

function LiveSwitch() {
  const { view, show } = useRequests();
  const isLive = view.live !== undefined;
  const toggle = () =>
    show(
      ({ live: _live, ...still }) =>
        isLive ? still : { ...asNewList(still, { sort: 'created.desc' }), live: DEFAULT_LIVE_S },
      'push',
    );
  useShortcut('l', toggle);
  return (
    <SmallButton
      data-toolbar-toggle=""
      aria-label="Live"
      aria-pressed={isLive}
      variant={isLive ? 'filled' : 'default'}
      leftSection={<Icon name={isLive ? 'pause' : 'play'} size={12} />}
      title={isLive ? 'Stop following new rows (L)' : 'Follow new rows (L)'}
      onClick={toggle}
    >
      Live
    </SmallButton>
  );
}

/** The pager, not in the server's markup, so that its script is loaded after the rows. */
const PagerControls = dynamic(
  () => noticeOnFailure(import('./pager-controls').then((part) => part.PagerControls)),
  { ssr: false },
);

/** Keeps its place while there are no rows, so that nothing moves when they arrive. */
export function Pager({ isNeeded, ...props }: PagerProps & { isNeeded: boolean }) {
  return (
    <nav className={classes.pager} aria-label="Pages" style={isNeeded ? undefined : { visibility: 'hidden' }}>
      <PagerControls {...props} />
    </nav>
  );
}

type Form<Props> = ComponentType<Props & { onClose: () => void }>;
type ToolProps<Props> = {
  label: string;
  /** Loads the tools with the first press. */
  pick: (tools: typeof import('./table-tools')) => Form<Props>;
  form: Props;
};

function TableTool<Props extends object>({ label, pick, form }: ToolProps<Props>) {
  const [part, setPart] = useState<{ Form: Form<Props> }>();
  const [opened, setOpened] = useState(false);
  const change = async (opens: boolean) => {
    if (part === undefined) setPart({ Form: await noticeOnFailure(import('./table-tools').then(pick)) });
    setOpened(opens);
  };
  return (
    <LatePopover
      opened={opened}
      onChange={(opens) => void change(opens)}
      buttonProps={{ children: label, 'data-toolbar-toggle': '', 'data-tool': '' }}
      width="min(24rem, calc(100vw - 1.5rem))"
      className={classes.options}
    >
      {part && <part.Form {...form} onClose={() => setOpened(false)} />}
    </LatePopover>
  );
}
