'use client';
import type { Route } from 'next';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import { useMomentWords } from '@/components/ui/time-style';
import { groupDigits } from '@/lib/core/numbers';
import type { StateWord } from '@/lib/core/request-record';
import type { StateCounts as Counts, CountsAnswer, KeeperCounts } from '@/lib/insights/overview';
import { COUNTED_STATES, countedView, sharesOf, useStateCounts } from '@/lib/insights/state-counts';
import { formatRequestsUrl } from '@/lib/requests/view';
import classes from './state-counts.module.css';

const LOOKS: Record<StateWord, { label: string; icon: IconName }> = {
  pending: { label: 'Pending', icon: 'clock' },
  completed: { label: 'Completed', icon: 'check' },
  'callback-failed': { label: 'Callback failed', icon: 'alert' },
  failed: { label: 'Failed', icon: 'cross' },
};

function StateLabel({ state }: { state: StateWord }) {
  return (
    <span className={classes.label}>
      <Icon name={LOOKS[state].icon} size={15} />
      {LOOKS[state].label}
    </span>
  );
}

/** A count that leads to its rows; undefined before the first sync. */
function Count({ state, count, href }: { state: StateWord; count: number | undefined; href: Route }) {
  return (
    <li className={classes.count} data-state={state}>
      <Link href={href} prefetch={false} className={classes.link}>
        <StateLabel state={state} />
        <span className={classes.figure}>{count === undefined ? '—' : groupDigits(String(count))}</span>
      </Link>
    </li>
  );
}

/** The proportions as one bar; decoration, since the figures stand beside it. */
function SharesBar({ counts }: { counts: Counts }) {
  const shares = sharesOf(counts);
  return (
    <div className={classes.bar} aria-hidden="true">
      {COUNTED_STATES.map((state) => (
        <span
          key={state}
          className={classes.share}
          data-state={state}
          style={{ flexGrow: shares?.[state] ?? 0 }}
        />
      ))}
    </div>
  );
}

/** How old the counts are. */
function Foot({ syncedAtMs }: Pick<KeeperCounts, 'syncedAtMs'>) {
  const words = useMomentWords();
  return (
    <p className={`${classes.foot} num`}>
      {syncedAtMs === undefined ? 'Not synced yet' : `Updated ${words(syncedAtMs)}`}
    </p>
  );
}

type KeeperPlace = {
  keeper: string;
  /** The first one is asked where the URL names none. */
  place: 'first' | 'other' | 'only';
};

function placesOf(keepers: readonly string[]): KeeperPlace[] {
  return keepers.map((keeper, index) => ({
    keeper,
    place: keepers.length === 1 ? 'only' : index === 0 ? 'first' : 'other',
  }));
}

function KeeperFrame({ keeper, place, children }: KeeperPlace & { children: ReactNode }) {
  return (
    <li className={classes.keeper}>
      {place === 'only' ? null : <h3 className={classes.name}>Keeper {keeper}</h3>}
      {children}
    </li>
  );
}

function Keeper({ answer, ...place }: KeeperPlace & { answer: CountsAnswer }) {
  const of = answer.keepers.find(({ keeper }) => keeper === place.keeper);
  if (of === undefined) return null;
  return (
    <KeeperFrame {...place}>
      <ul className={classes.counts}>
        {COUNTED_STATES.map((state) => (
          <Count
            key={state}
            state={state}
            count={of.syncedAtMs === undefined ? undefined : of.counts[state]}
            href={formatRequestsUrl(countedView(place.place === 'other' ? of.keeper : undefined, state))}
          />
        ))}
      </ul>
      <SharesBar counts={of.counts} />
      <Foot syncedAtMs={of.syncedAtMs} />
    </KeeperFrame>
  );
}

/** The counts by state, exact, each a link to its rows. */
export function StateCounts({ keepers, first }: { keepers: readonly string[]; first: CountsAnswer }) {
  const answer = useStateCounts(first);
  if (keepers.length === 0) {
    return (
      <p className={classes.none}>
        No request log service is configured. Set LOGS_URL in .env.local and start again.
      </p>
    );
  }
  return (
    <ul className={classes.keepers}>
      {placesOf(keepers).map((place) => (
        <Keeper key={place.keeper} {...place} answer={answer} />
      ))}
    </ul>
  );
}
