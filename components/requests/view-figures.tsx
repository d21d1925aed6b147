'use client';
import { Anchor, Toolbar, UnstyledButton } from '@mantine/core';
import { type CSSProperties, memo } from 'react';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { answeredShare, callbacksOkShare, shareText } from '@/lib/core/span-figures';
import { DAY_MS, formatDuration } from '@/lib/core/time';
import { useRevision } from '@/lib/requests/client/revision-stream';
import { asNewList, filteredColumns } from '@/lib/requests/filters';
import { isPendingRead, type KeeperStatus } from '@/lib/requests/keeper-status';
import type { Summary } from '@/lib/requests/requests-response';
import { STATE_LOOKS } from '@/lib/requests/state-looks';
import { type RequestsView, rangeMs } from '@/lib/requests/view';
import { pendingText } from '@/lib/requests/view-labels';
import classes from './requests.module.css';
import { useRequests } from './requests-context';

type Figure = {
  label: string;
  text: string;
  title?: string;
  /** Undefined if the figure counts all rows shown, or none. */
  change?: Partial<Pick<RequestsView, 'states' | 'sort' | 'duration'>> | undefined;
};

const WAITING: Figure[] = ['p50', 'p95', 'Answered', 'Callbacks OK'].map((label) => ({
  label,
  text: '…',
}));

/** States in the order of the chart beside them, of which their buttons are the legend. */
const STATES = ['failed', 'callback-failed', 'pending', 'completed'] as const;

function shownFigures({ figures }: Summary, view: RequestsView): Figure[] {
  const { completed, callbackFailed, failed, failureGroups } = figures;
  const [answered, callbacksOk] = [answeredShare(figures), callbacksOkShare(figures)];
  const callbacks = completed + callbackFailed;
  const inState = (state: string, count: number) => (count === 0 ? undefined : { states: [state] });
  const latency = (label: string, us: number | null): Figure => ({
    label,
    text: us === null ? '—' : formatDuration(us / 1000),
    title: 'From creation until the outcome was logged. Show slower requests',
    change:
      us === null
        ? undefined
        : {
            sort: 'duration.desc',
            states: ['completed', 'callback-failed'],
            duration: { ...view.duration, min: String(Math.floor(us / 1000) / 1000) },
          },
  });
  return [
    latency('p50', figures.p50Us),
    latency('p95', figures.p95Us),
    {
      label: 'Answered',
      text: answered === null ? '—' : shareText(answered),
      title: `${groupDigits(callbacks)} of ${groupDigits(callbacks + failed)} finished requests were called back. Show ${groupDigits(failed)} failed`,
      change: inState('failed', failed),
    },
    {
      label: 'Callbacks OK',
      text: callbacksOk === null ? '—' : shareText(callbacksOk),
      title: `${groupDigits(completed)} of ${groupDigits(callbacks)} callbacks. Show ${groupDigits(callbackFailed)} that failed, ${countOf(failureGroups, 'failure group')} in this view`,
      change: inState('callback-failed', callbackFailed),
    },
  ];
}

/** `index` came with the rows. */
type Props = { summary: Summary | undefined; index: readonly KeeperStatus[]; isOutdated: boolean };

/** The figures have the same size before the rows are counted. */
export const ViewFigures = memo(function ViewFigures({ summary, index, isOutdated }: Props) {
  const { view, show } = useRequests();
  const counted = summary?.counting ? undefined : summary;
  const figures = counted === undefined ? WAITING : shownFigures(counted, view);
  const statuses = useRevision()?.index ?? index;
  const isRead = statuses.every(
    (status) => isPendingRead(status) || (view.keepers.length > 0 && !view.keepers.includes(status.keeper)),
  );
  return (
    <Toolbar
      withBorder={false}
      className={classes.figures}
      aria-label="Figures of this view"
      data-outdated={isOutdated || undefined}
    >
      {STATES.map((state) => (
        <StateFigure key={state} state={state} counted={counted} isUnread={state === 'pending' && !isRead} />
      ))}
      {figures.map(({ label, text, title, change }) => (
        <span key={label} className={classes.measure} data-figure={label}>
          {label}{' '}
          {change === undefined ? (
            <span className={classes.figure} title={title}>
              {text}
            </span>
          ) : (
            <Anchor
              component="button"
              inherit
              fw={600}
              c="var(--figure, var(--ks-text))"
              underline="hover"
              data-toolbar-toggle=""
              title={title}
              aria-label={`${label} ${text}: show them`}
              onClick={() => show((now) => asNewList(now, change), 'push')}
            >
              {text}
            </Anchor>
          )}
        </span>
      ))}
    </Toolbar>
  );
});

/** `isUnread`: a keeper was not queried for these rows yet, so older ones may be missing. */
type StateProps = { state: (typeof STATES)[number]; counted: Summary | undefined; isUnread: boolean };

/** The count of a state, regardless of the states in the view. The button toggles the state in the filter. */
function StateFigure({ state, counted, isUnread }: StateProps) {
  const { view, show } = useRequests();
  const { label, bar } = STATE_LOOKS[state];
  const isOn = view.states.includes(state);
  const { count = 0, gone = 0 } = counted?.facets.state.find(({ value }) => value === state) ?? {};
  const isPending = state === 'pending';
  // The view counts its stuck requests only if it includes pending ones.
  const stuck = isPending && (isOn || view.states.length === 0) ? (counted?.figures.stuck ?? 0) : 0;
  const shared = { className: classes.state, style: { '--colour': bar } as CSSProperties };
  const content = (
    <>
      {label}{' '}
      <span className={classes.figure} data-stuck={(stuck > 0 && !isUnread) || undefined}>
        {counted === undefined ? '…' : isUnread ? 'not counted yet' : pendingText(count - gone, stuck, gone)}
      </span>
    </>
  );
  return (
    <span data-figure={label}>
      {count === 0 && !isOn ? (
        <span {...shared}>{content}</span>
      ) : (
        <UnstyledButton
          {...shared}
          data-toolbar-toggle=""
          aria-pressed={isOn}
          onClick={() => {
            const toggled = ({ states }: RequestsView) =>
              states.includes(state) ? states.filter((chosen) => chosen !== state) : [...states, state];
            show((now) => asNewList(now, { states: toggled(now) }), 'push');
          }}
        >
          {content}
        </UnstyledButton>
      )}
      {isPending ? <ParkedRequests /> : null}
    </span>
  );
}

/** Parked requests are pending, but all older than a view of at most a day. Their place is kept while there are none. */
function ParkedRequests() {
  const { view, show } = useRequests();
  const parked = useRevision()?.pending?.parked ?? 0;
  const { networks, keepers, q, time, asof } = view;
  const isWhole = networks.length + keepers.length + filteredColumns(view).length === 0 && q === '';
  const isShort = time.kind === 'last' && (rangeMs(time.range) ?? 0) <= DAY_MS && asof === undefined;
  if (!isWhole || !isShort) return null;
  return (
    <span className={classes.parked}>
      {parked === 0 ? null : (
        <Anchor
          component="button"
          inherit
          c="dimmed"
          underline="always"
          data-toolbar-toggle=""
          title="Parked: pending for more than a day. Show all that are pending"
          onClick={() =>
            show((now) => asNewList(now, { states: ['pending'], time: { kind: 'all' } }), 'push')
          }
        >
          {groupDigits(parked)} older
        </Anchor>
      )}
    </span>
  );
}
