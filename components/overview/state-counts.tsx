'use client';
import { useQuery } from '@tanstack/react-query';
import type { Route } from 'next';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import { useMomentWords } from '@/components/ui/time-style';
import { fetchGatewayText } from '@/lib/core/gateway';
import { groupDigits } from '@/lib/core/numbers';
import type { Outcome } from '@/lib/core/outcome';
import { type StateWord, WIRE_STATE } from '@/lib/core/request-record';
import {
  type StateCounts as Counts,
  type CountsAnswer,
  type KeeperCounts,
  OVERVIEW_ADDRESS,
  readCounts,
} from '@/lib/insights/overview';
import { useAskedAgain } from '@/lib/requests/use-revision';
import { defaultRequestsView, formatRequestsUrl, type RequestsView } from '@/lib/requests/view';
import classes from './state-counts.module.css';

/** The states that are counted, the ones that want attention first. */
const COUNTED_STATES = Object.keys(WIRE_STATE) as StateWord[];

const COUNTED_RANGE = '1h';

/** At most so often, however fast the index changes. */
const LEAST_MS = 2000;

/** The rows that a count stands for, as a view of the log table: the keeper is named only when it isn't the first. */
function countedView(keeper: string | undefined, state: StateWord): RequestsView {
  return {
    ...defaultRequestsView(),
    states: [state],
    keepers: keeper === undefined ? [] : [keeper],
    time: { kind: 'last', range: COUNTED_RANGE },
  };
}

/** Shares of the whole in percent, for pixels only; undefined when all are zero. */
function sharesOf(counts: Counts): Record<StateWord, number> | undefined {
  const sum = COUNTED_STATES.reduce((all, state) => all + counts[state], 0);
  if (sum === 0) return undefined;
  const shares = COUNTED_STATES.map((state) => [state, (counts[state] / sum) * 100]);
  return Object.fromEntries(shares) as Record<StateWord, number>;
}

/** The counts of the last hour, from what the server rendered on, as the index changes. Of an answer that fails the one before stays. */
function useStateCounts(first: CountsAnswer): CountsAnswer {
  const query = useQuery({
    queryKey: ['state-counts'],
    queryFn: async ({ client, signal }) => {
      const text = await fetchGatewayText(OVERVIEW_ADDRESS, signal);
      const answer: Outcome<CountsAnswer> = text.ok ? readCounts(text.value) : text;
      return answer.ok ? answer.value : (client.getQueryData<CountsAnswer>(['state-counts']) ?? first);
    },
    initialData: first,
    staleTime: LEAST_MS,
  });
  useAskedAgain(query.data, query, LEAST_MS);
  return query.data;
}

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
