'use client';
import type { Route } from 'next';
import Link from 'next/link';
import { Icon, type IconName } from '@/components/ui/icons';
import { groupDigits } from '@/lib/client/human-number';
import type { TriageCounts } from '@/lib/contract/codec/triage';
import { defaultRequestsView, formatRequestsUrl } from '@/lib/requests/view';
import classes from './calm-counts.module.css';

/** The pending requests that ask for nothing, and the whole of which they are part. */
export function CalmCounts({ counts, keepers }: { counts: TriageCounts; keepers: readonly string[] }) {
  const all = formatRequestsUrl({
    ...defaultRequestsView(),
    states: ['pending'],
    keepers: keepers.length > 1 ? [...keepers] : [],
    time: { kind: 'all' },
  });
  return (
    <ul className={classes.counts}>
      <Count name="Pending in all" icon="clock" value={counts.pending} href={all} of="pending" />
      <Count name="Stuck" icon="alert" value={counts.stuck} of="stuck" />
      <Count name="Slow, still being retried" icon="refresh" value={counts.slow} of="slow" />
      <Count name="Within normal" icon="check" value={counts.withinNormal} of="within-normal" />
      {counts.missing + counts.unreadable > 0 ? (
        <Count
          name="Unreadable or too many"
          icon="question"
          value={counts.missing + counts.unreadable}
          of="hidden"
        />
      ) : null}
      {counts.gone > 0 ? (
        <Count name="No longer served" icon="question" value={counts.gone} of="gone" />
      ) : null}
    </ul>
  );
}

function Count({
  name,
  icon,
  value,
  href,
  of,
}: {
  name: string;
  icon: IconName;
  value: number;
  href?: Route;
  of: string;
}) {
  const figure = groupDigits(String(value));
  return (
    <li className={classes.count} data-count={of}>
      <span className={classes.name}>
        <Icon name={icon} size={14} /> {name}
      </span>
      <span className={`${classes.figure} num`}>
        {href === undefined ? (
          figure
        ) : (
          <Link href={href} prefetch={false} aria-label={`${name}: ${figure}, in the request table`}>
            {figure}
          </Link>
        )}
      </span>
    </li>
  );
}
