'use client';
import { Button } from '@mantine/core';
import { ChoiceSelect } from '@/components/ui/choice-select';
import { Icon } from '@/components/ui/icons';
import type { Following } from '@/lib/client/following';
import { countOf } from '@/lib/client/human-number';
import { useShortcut } from '@/lib/client/keyboard-hooks';
import { type RequestsView, withFilter } from '@/lib/requests/view';
import classes from './live-switch.module.css';
import type { ShowView } from './use-requests-view';

/** Seconds between two questions that can be chosen; the link takes any whole number from 1 to 30. */
const INTERVALS = [1, 2, 5, 10, 30];
const USUAL_INTERVAL = 2;

/** What waits while somebody reads, or what of it was never shown; undefined for nothing. */
export function waitingWords(
  { live }: RequestsView,
  { waiting, skippedAtMs }: Following,
  moment: (ms: number) => string,
): string | undefined {
  if (live === undefined) return undefined;
  if (waiting === undefined) {
    return skippedAtMs === undefined
      ? undefined
      : `More came at ${moment(skippedAtMs)} than fit on the page: some were not shown`;
  }
  const { added, changed, reach } = waiting;
  if (added + changed === 0) return 'Paused while you read';
  if (reach === 'all') return `Paused while you read: ${added} new rows or more`;
  return `Paused while you read: ${countOf(String(added), 'new row', 'new rows')}, ${changed} changed`;
}

/** Turns following of new rows on and off. */
export function LiveSwitch({ view, show }: { view: RequestsView; show: ShowView }) {
  const { live } = view;
  const isLive = live !== undefined;
  const turn = () =>
    show(
      ({ live: _live, ...still }) =>
        isLive ? still : { ...withFilter(still, { sort: 'created.desc' }), live: USUAL_INTERVAL },
      'push',
    );
  useShortcut('l', turn);
  return (
    <div className={classes.live}>
      <Button
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
      {isLive ? (
        <ChoiceSelect
          label="Every"
          classNames={{ root: classes.interval, label: 'sr-only' }}
          data={[...new Set([...INTERVALS, live])]
            .sort((a, b) => a - b)
            .map((seconds) => ({ value: String(seconds), label: `${seconds} s` }))}
          value={String(live)}
          onChoose={(seconds) => show((now) => ({ ...now, live: Number(seconds) }), 'replace')}
        />
      ) : null}
    </div>
  );
}
