'use client';
import { useQuery } from '@tanstack/react-query';
import type { Route } from 'next';
import Link from 'next/link';
import { use } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import { useNow } from '@/lib/client/clock';
import { explainFailure } from '@/lib/client/explain-failure';
import { groupDigits } from '@/lib/client/human-number';
import { formatMoment } from '@/lib/client/human-time';
import {
  COUNTED_STATES,
  type StateCounts as Counts,
  type CountsAnswer,
  countedView,
  fetchCounts,
  sharesOf,
} from '@/lib/client/state-counts';
import { formatRequestsUrl } from '@/lib/contract/codec/requests-url';
import type { Outcome } from '@/lib/domain/outcome';
import type { StateWord } from '@/lib/domain/request-record';
import classes from './state-counts.module.css';

const REFRESH_MS = 30_000;

const LOOKS: Record<StateWord, { label: string; icon: IconName }> = {
  pending: { label: 'Pending', icon: 'clock' },
  completed: { label: 'Completed', icon: 'check' },
  'callback-failed': { label: 'Callback failed', icon: 'alert' },
  failed: { label: 'Failed', icon: 'cross' },
};

function UnknownFigure() {
  return (
    <>
      <span aria-hidden="true">—</span>
      <span className="sr-only">not known</span>
    </>
  );
}

function Count({ state, count, href }: { state: StateWord; count: Outcome<string>; href: Route }) {
  const { label, icon } = LOOKS[state];
  return (
    <li className={classes.count} data-state={state}>
      <Link href={href} prefetch={false} className={classes.link}>
        <span className={classes.label}>
          <Icon name={icon} size={15} />
          {label}
        </span>
        <span className={classes.figure}>{count.ok ? groupDigits(count.value) : <UnknownFigure />}</span>
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

function KeeperCounts({
  keeper,
  counts,
  isFirst,
  named,
}: {
  keeper: string;
  counts: Counts;
  isFirst: boolean;
  named: boolean;
}) {
  const failed = COUNTED_STATES.map((state) => counts[state]).find((count) => !count.ok);
  const words = failed?.ok === false ? explainFailure(failed.failure, named ? keeper : undefined) : undefined;
  return (
    <li className={classes.keeper}>
      {named ? <h3 className={classes.name}>Keeper {keeper}</h3> : null}
      <ul className={classes.counts}>
        {COUNTED_STATES.map((state) => (
          <Count
            key={state}
            state={state}
            count={counts[state]}
            href={formatRequestsUrl(countedView(isFirst ? undefined : keeper, state))}
          />
        ))}
      </ul>
      <SharesBar counts={counts} />
      {words === undefined ? null : (
        <p className={classes.failure} role="alert">
          <Icon name="alert" size={14} />
          <span>
            {words.title}. {words.todo}
          </span>
        </p>
      )}
    </li>
  );
}

/** The counts by state, exact, each a link to its rows; asked for again every 30 seconds. */
export function StateCounts({
  keepers,
  first,
  renderedAtMs,
}: {
  keepers: readonly string[];
  first: CountsAnswer | Promise<CountsAnswer>;
  renderedAtMs: number;
}) {
  const initial = 'then' in first ? use(first) : first;
  const nowMs = useNow(renderedAtMs);
  const { data } = useQuery({
    queryKey: ['state-counts'],
    queryFn: ({ signal }) => fetchCounts(keepers, signal),
    initialData: initial,
    initialDataUpdatedAt: initial.atMs,
    refetchInterval: REFRESH_MS,
  });
  if (keepers.length === 0) {
    return (
      <p className={classes.none}>
        No log service is configured. Set LOGS_URL in .env.local and start again.
      </p>
    );
  }
  return (
    <>
      <ul className={classes.keepers}>
        {data.keepers.map(({ keeper, counts }) => (
          <KeeperCounts
            key={keeper}
            keeper={keeper}
            counts={counts}
            isFirst={keeper === keepers[0]}
            named={keepers.length > 1}
          />
        ))}
      </ul>
      <p className={`${classes.asOf} num`}>as of {formatMoment(data.atMs, nowMs)}</p>
    </>
  );
}

/** The same frame before the first counts are there. */
export function CountsSkeleton({ keepers }: { keepers: readonly string[] }) {
  return (
    <>
      <ul className={classes.keepers} aria-busy="true">
        {keepers.map((keeper) => (
          <li key={keeper} className={classes.keeper}>
            {keepers.length > 1 ? <h3 className={classes.name}>Keeper {keeper}</h3> : null}
            <ul className={classes.counts}>
              {COUNTED_STATES.map((state) => (
                <li key={state} className={classes.count} data-state={state}>
                  <span className={classes.link}>
                    <span className={classes.label}>
                      <Icon name={LOOKS[state].icon} size={15} />
                      {LOOKS[state].label}
                    </span>
                    <span className={classes.figure}>…</span>
                  </span>
                </li>
              ))}
            </ul>
            <div className={classes.bar} />
          </li>
        ))}
      </ul>
      <p className={classes.asOf}>counting…</p>
    </>
  );
}
