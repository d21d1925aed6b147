'use client';
import { groupDigits } from '@/lib/client/human-number';
import { type KnownIndex, type StuckCount, useStuckCount } from '@/lib/pending/client';
import classes from './pending-count.module.css';

/** More than this is shown as `999+`: the page has the figure. */
const MOST_SHOWN = 999;

/**
 * How many requests are stuck, in the corner of the link so that it moves nothing; a question mark when that is not known.
 * Nothing is shown when nothing is stuck, before the first sync, and where no log service is configured.
 */
export function PendingCount({ first }: { first: KnownIndex }) {
  const count = useStuckCount(first);
  if (count.kind !== 'stuck' && count.kind !== 'not-known') return null;
  const words = wordsOf(count);
  return (
    <span
      className={classes.count}
      data-standing={count.kind === 'stuck' ? 'stuck' : 'unknown'}
      title={words}
    >
      <span aria-hidden="true">{count.kind === 'stuck' ? briefly(count.stuck) : '?'}</span>
      <span className="sr-only">, {words}</span>
    </span>
  );
}

function wordsOf(count: StuckCount): string {
  if (count.kind !== 'stuck') return 'stuck: unknown';
  const { stuck, isWhole } = count;
  const requests = stuck === 1 ? 'request is' : 'requests are';
  return `${isWhole ? '' : 'at least '}${groupDigits(String(stuck))} ${requests} stuck`;
}

function briefly(count: number): string {
  return count > MOST_SHOWN ? `${MOST_SHOWN}+` : groupDigits(String(count));
}
