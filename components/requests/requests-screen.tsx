'use client';
import { Suspense } from 'react';
import type { Network } from '@/lib/domain/network';
import { Filters } from './filters';
import classes from './requests-screen.module.css';
import { Results, ResultsSkeleton } from './results';
import { TableClockProvider } from './table-clock';
import { UrlProblems } from './url-problems';
import type { RequestsSeed } from './use-requests';
import { useRequestsView } from './use-requests-view';

/** The log table with everything around it. `networks`: those that can be chosen before any row has come. */
export function RequestsScreen({
  seed,
  keepers,
  networks,
  renderedAtMs,
}: {
  seed: RequestsSeed;
  keepers: readonly string[];
  networks: readonly Network[];
  /** Unix milliseconds. */
  renderedAtMs: number;
}) {
  const { view, problems, show } = useRequestsView();
  const keeper = keepers.length < 2 ? undefined : (view.keepers[0] ?? keepers[0]);
  const results = <Results view={view} seed={seed} networks={networks} keeper={keeper} show={show} />;
  // Only what is late gets a boundary: React sends a large one as its fallback first, even when it is complete.
  const isLate = 'then' in seed.first;
  return (
    <TableClockProvider renderedAtMs={renderedAtMs}>
      <div className={classes.screen} data-fill="viewport">
        <div className={classes.head}>
          <h1 className="sr-only">Requests</h1>
          <Filters view={view} keepers={keepers} networks={networks} show={show} />
          <UrlProblems problems={problems} />
        </div>
        {isLate ? (
          <Suspense fallback={<ResultsSkeleton view={view} show={show} />}>{results}</Suspense>
        ) : (
          results
        )}
      </div>
    </TableClockProvider>
  );
}
