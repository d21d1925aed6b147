'use client';
import { useQuery } from '@tanstack/react-query';
import type { Route } from 'next';
import Link from 'next/link';
import { type ReactNode, use } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import { explainFailure } from '@/lib/client/explain-failure';
import { groupDigits } from '@/lib/client/human-number';
import {
  COUNTED_STATES,
  type CountsAnswer,
  countedView,
  fetchCounts,
  type KeeperCounts,
  sharesOf,
  shownCount,
} from '@/lib/client/state-counts';
import { useMomentWords, useSteadyWords } from '@/lib/client/time-style';
import type { StateWord } from '@/lib/domain/request-record';
import { formatRequestsUrl } from '@/lib/requests/view';
import classes from './state-counts.module.css';

const REFRESH_MS = 30_000;

const COUNTS = ['state-counts'];

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

function UnknownFigure() {
  return (
    <>
      <span aria-hidden="true">—</span>
      <span className="sr-only">not known</span>
    </>
  );
}

/** A count that leads to its rows. `standing`: whether it was counted just now or before. */
function Count({
  state,
  count,
  standing,
  href,
}: {
  state: StateWord;
  count: string | undefined;
  standing: 'counted' | 'stale';
  href: Route;
}) {
  return (
    <li className={classes.count} data-state={state} data-standing={standing}>
      <Link href={href} prefetch={false} className={classes.link}>
        <StateLabel state={state} />
        <span className={classes.figure}>{count === undefined ? <UnknownFigure /> : groupDigits(count)}</span>
      </Link>
    </li>
  );
}

/** The proportions as one bar; decoration, since the figures stand beside it. */
function SharesBar({ of }: { of: KeeperCounts }) {
  const shares = sharesOf(of);
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

/** When the counts are from, or why there are none and from when the ones shown are. */
function Foot({ of, named, atMs }: { of: KeeperCounts; named: string | undefined; atMs: number }) {
  const words = useMomentWords();
  const steadyWords = useSteadyWords();
  const failed = COUNTED_STATES.map((state) => of.counts[state]).find((count) => !count.ok);
  if (failed === undefined || failed.ok) {
    return <p className={`${classes.foot} num`}>as of {words(atMs)}</p>;
  }
  // What to do about it stands with the service below.
  const { title } = explainFailure(failed.failure, named);
  const since = of.lastGood === undefined ? '' : ` Stale since ${steadyWords(of.lastGood.atMs)}.`;
  return (
    <p className={`${classes.foot} ${classes.failure}`} role="alert">
      <Icon name="alert" size={14} />
      <span>{`${title}.${since}`}</span>
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
            count={shownCount(of, state)}
            standing={of.counts[state].ok ? 'counted' : 'stale'}
            href={formatRequestsUrl(countedView(place.place === 'other' ? of.keeper : undefined, state))}
          />
        ))}
      </ul>
      <SharesBar of={of} />
      <Foot of={of} named={place.place === 'only' ? undefined : of.keeper} atMs={answer.atMs} />
    </KeeperFrame>
  );
}

/** The counts by state, exact, each a link to its rows; asked for again every 30 seconds. */
export function StateCounts({
  keepers,
  first,
}: {
  keepers: readonly string[];
  first: CountsAnswer | Promise<CountsAnswer>;
}) {
  const initial = 'then' in first ? use(first) : first;
  const { data } = useQuery({
    queryKey: COUNTS,
    queryFn: ({ client, signal }) => fetchCounts(keepers, client.getQueryData(COUNTS), signal),
    initialData: initial,
    initialDataUpdatedAt: initial.atMs,
    refetchInterval: REFRESH_MS,
  });
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
        <Keeper key={place.keeper} {...place} answer={data} />
      ))}
    </ul>
  );
}

/** The same frame before the first counts are there. */
export function CountsSkeleton({ keepers }: { keepers: readonly string[] }) {
  return (
    <ul className={classes.keepers} aria-busy="true">
      {placesOf(keepers).map((place) => (
        <KeeperFrame key={place.keeper} {...place}>
          <ul className={classes.counts}>
            {COUNTED_STATES.map((state) => (
              <li key={state} className={classes.count} data-state={state}>
                <span className={classes.link}>
                  <StateLabel state={state} />
                  <span className={classes.figure}>…</span>
                </span>
              </li>
            ))}
          </ul>
          <div className={classes.bar} />
          <p className={classes.foot}>counting…</p>
        </KeeperFrame>
      ))}
    </ul>
  );
}
