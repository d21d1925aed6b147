'use client';
import type { Network } from '@/lib/domain/network';
import { Filters } from './filters';
import classes from './requests-screen.module.css';
import { Results } from './results';
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
  return (
    <TableClockProvider renderedAtMs={renderedAtMs}>
      <div className={classes.screen} data-fill="viewport">
        <div className={classes.head}>
          <h1 className="sr-only">Requests</h1>
          <Filters view={view} keepers={keepers} networks={networks} show={show} />
          <UrlProblems problems={problems} />
        </div>
        <Results view={view} seed={seed} networks={networks} keeper={keeper} show={show} />
      </div>
    </TableClockProvider>
  );
}
