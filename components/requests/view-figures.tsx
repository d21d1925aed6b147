'use client';
import { Toolbar } from '@mantine/core';
import { groupDigits } from '@/lib/core/numbers';
import { formatDuration } from '@/lib/core/time';
import type { Summary } from '@/lib/requests/answers';
import { type RequestsView, withFilter } from '@/lib/requests/view';
import classes from './requests.module.css';
import type { ShowView } from './requests-context';

type Figures = Summary['figures'];

function latencyText(us: number | null): string {
  if (us === null) return '—';
  return us < 60_000_000 ? `${(us / 1_000_000).toFixed(1)} s` : formatDuration(us / 1000);
}

function rateText({ completed, callbackFailed, failed }: Figures): string {
  const [served, finished] = [completed + callbackFailed, completed + callbackFailed + failed];
  // Rounded down: 100% is said where all of them were served.
  return finished === 0 ? '—' : `${Math.floor((1000 * served) / finished) / 10}%`;
}

const countText = (count: number) => groupDigits(String(count));

const inState = (state: string) => (view: RequestsView) => withFilter(view, { states: [state] });

function slowerThan(us: number | null) {
  if (us === null) return undefined;
  return (view: RequestsView) =>
    withFilter(view, {
      sort: 'duration.desc',
      states: ['completed', 'callback-failed'],
      duration: { ...view.duration, min: String(Math.floor(us / 1000) / 1000) },
    });
}

type Shown = {
  label: string;
  text: string;
  title: string;
  change?: ((view: RequestsView) => RequestsView) | undefined;
  tone?: 'bad' | undefined;
};

function shownFigures(total: number, figures: Figures): Shown[] {
  const { callbackFailed, failed, pending, stuck, p50Us, p95Us, failureGroups } = figures;
  const groups = failureGroups === 0 ? '' : ` in ${countText(failureGroups)} groups`;
  return [
    { label: 'Requests', text: countText(total), title: 'All rows of this view' },
    {
      label: 'Success rate',
      text: rateText(figures),
      title: `Completed or callback failed, of finished. ${countText(failed)} failed: show them`,
      change: failed === 0 ? undefined : inState('failed'),
    },
    {
      label: 'Callback failures',
      text: countText(callbackFailed),
      title: `Show them. Failures${groups || ': none'}`,
      change: callbackFailed === 0 ? undefined : inState('callback-failed'),
    },
    { label: 'p50', text: latencyText(p50Us), title: 'Time to callback', change: slowerThan(p50Us) },
    {
      label: 'p95',
      text: latencyText(p95Us),
      title: 'Time to callback: show the slowest 5%',
      change: slowerThan(p95Us),
    },
    {
      label: 'Pending',
      text: stuck === 0 ? countText(pending) : `${countText(pending)}, ${countText(stuck)} stuck`,
      title: 'Show pending requests',
      change: pending === 0 ? undefined : inState('pending'),
      tone: stuck === 0 ? undefined : 'bad',
    },
  ];
}

const LABELS = ['Requests', 'Success rate', 'Callback failures', 'p50', 'p95', 'Pending'];

/** The rows of the view in six figures, so that any filter is also an analysis. As high before they are counted. */
export function ViewFigures({
  summary,
  isOutdated,
  show,
}: {
  summary: Summary | undefined;
  isOutdated: boolean;
  show: ShowView;
}) {
  const figures: Shown[] =
    summary === undefined
      ? LABELS.map((label) => ({ label, text: '…', title: 'Loading' }))
      : shownFigures(summary.total, summary.figures);
  return (
    <Toolbar
      withBorder={false}
      className={classes.figures}
      aria-label="Figures of this view"
      data-outdated={isOutdated || undefined}
    >
      {figures.map(({ label, text, title, change, tone }) => (
        <span key={label} data-figure={label}>
          {label}{' '}
          {change === undefined ? (
            <b title={title}>{text}</b>
          ) : (
            <button
              type="button"
              data-toolbar-toggle=""
              data-tone={tone}
              title={title}
              aria-label={`${label} ${text}: show them`}
              onClick={() => show(change, 'push')}
            >
              {text}
            </button>
          )}
        </span>
      ))}
    </Toolbar>
  );
}
