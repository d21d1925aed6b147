'use client';
import { Anchor, Toolbar } from '@mantine/core';
import { type CSSProperties, memo } from 'react';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { answeredShare, callbacksOkShare, shareText } from '@/lib/core/span-figures';
import { formatDuration } from '@/lib/core/time';
import type { Summary } from '@/lib/requests/requests-response';
import { type RequestsView, withFilter } from '@/lib/requests/view';
import { pendingText } from '@/lib/requests/view-labels';
import classes from './requests.module.css';
import { useRequests } from './requests-context';
import { STATE_COLOURS } from './state-colours';

type Figure = {
  label: string;
  text: string;
  title?: string;
  /** Filter for the rows that it counts; undefined if those are all rows shown, or if there are none. */
  change?: Partial<Pick<RequestsView, 'states' | 'sort' | 'duration'>> | undefined;
  isBad?: boolean;
  /** Count beside the label, after a swatch of its colour in the histogram. */
  counted?: { colour: string; text: string };
};

const WAITING: Figure[] = ['Requests', 'Answered', 'Callbacks OK', 'p50', 'p95', 'Pending'].map((label) => ({
  label,
  text: '…',
}));

function shownFigures({ total, figures }: Summary, view: RequestsView): Figure[] {
  const { completed, callbackFailed, failed, pending, stuck, failureGroups } = figures;
  const [answered, callbacksOk] = [answeredShare(figures), callbacksOkShare(figures)];
  const callbacks = completed + callbackFailed;
  const inState = (state: string, count: number) => (count === 0 ? undefined : { states: [state] });
  const latency = (label: string, us: number | null): Figure => ({
    label,
    text: us === null ? '—' : us < 60_000_000 ? `${(us / 1e6).toFixed(1)} s` : formatDuration(us / 1000),
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
    { label: 'Requests', text: groupDigits(total) },
    {
      label: 'Answered',
      text: answered === null ? '—' : shareText(answered),
      title: `${groupDigits(callbacks)} of ${groupDigits(callbacks + failed)} finished requests were called back. Show ${groupDigits(failed)} failed`,
      change: inState('failed', failed),
      counted: { colour: STATE_COLOURS.failed, text: `${groupDigits(failed)} failed` },
    },
    {
      label: 'Callbacks OK',
      text: callbacksOk === null ? '—' : shareText(callbacksOk),
      title: `${groupDigits(completed)} of ${groupDigits(callbacks)} callbacks. Show ${groupDigits(callbackFailed)} that failed, ${countOf(failureGroups, 'failure group')} in this view`,
      change: inState('callback-failed', callbackFailed),
      counted: { colour: STATE_COLOURS['callback-failed'], text: `${groupDigits(callbackFailed)} failed` },
    },
    latency('p50', figures.p50Us),
    latency('p95', figures.p95Us),
    {
      label: 'Pending',
      text: pendingText(pending, stuck),
      change: inState('pending', pending),
      counted: { colour: STATE_COLOURS.pending, text: '' },
      isBad: stuck > 0,
    },
  ];
}

type Props = { summary: Summary | undefined; isOutdated: boolean };

/** The rows of the view in six figures, so that any filter is also an analysis. As large before they are counted. */
export const ViewFigures = memo(function ViewFigures({ summary, isOutdated }: Props) {
  const { view, show } = useRequests();
  const figures = summary === undefined || summary.counting ? WAITING : shownFigures(summary, view);
  return (
    <Toolbar
      withBorder={false}
      className={classes.figures}
      aria-label="Figures of this view"
      style={{ opacity: isOutdated ? 0.5 : undefined }}
    >
      {figures.map(({ label, text, title, change, isBad, counted }) => (
        <span key={label} data-figure={label}>
          {label}{' '}
          {counted && (
            <span className={classes.counted} style={{ '--colour': counted.colour } as CSSProperties}>
              {counted.text}
            </span>
          )}
          {change === undefined ? (
            <span className={classes.figure} title={title}>
              {text}
            </span>
          ) : (
            <Anchor
              component="button"
              inherit
              c={isBad ? 'var(--ks-bad)' : 'var(--ks-text)'}
              fw={650}
              underline="always"
              data-toolbar-toggle=""
              title={title}
              aria-label={`${label} ${text}: show them`}
              onClick={() => show((now) => withFilter(now, change), 'push')}
            >
              {text}
            </Anchor>
          )}
        </span>
      ))}
    </Toolbar>
  );
});
