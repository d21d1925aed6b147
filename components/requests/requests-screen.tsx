'use client';
import dynamic from 'next/dynamic';
import { orNotice } from '@/components/ui/part-not-loaded';
import { useRememberedLayout } from '@/lib/client/remembered-layout';
import { LinkedZone } from '@/lib/client/time-style';
import type { Network } from '@/lib/domain/network';
import type { ColumnLayout } from '@/lib/requests/columns';
import { Filters } from './filters';
import classes from './requests-screen.module.css';
import { Results } from './results';
import { TableClockProvider } from './table-clock';
import type { RequestsSeed } from './use-requests';
import { useRequestsView } from './use-requests-view';
import { useResults } from './use-results';

const UrlProblems = dynamic(() => orNotice(import('./url-problems').then((part) => part.UrlProblems)));

/** The log table with everything around it. `networks`: those that can be chosen before any row has come. */
export function RequestsScreen({
  seed,
  keepers,
  networks,
  remembered,
  renderedAtMs,
}: {
  seed: RequestsSeed;
  keepers: readonly string[];
  networks: readonly Network[];
  /** The columns that this browser had last. */
  remembered: ColumnLayout;
  /** Unix milliseconds. */
  renderedAtMs: number;
}) {
  const { view, problems, show } = useRequestsView();
  const [own, remember] = useRememberedLayout(remembered);
  const layout = view.columns ?? own;
  const onLayout = (next: ColumnLayout) => {
    remember(next);
    show((now) => ({ ...now, columns: next }), 'replace');
  };
  const known = useResults(view, seed, networks);
  return (
    <LinkedZone zone={view.zone} onLeave={() => show(({ zone: _zone, ...now }) => now, 'replace')}>
      <TableClockProvider renderedAtMs={renderedAtMs}>
        <div className={classes.screen} data-fill="viewport">
          <div className={classes.head}>
            <h1 className="sr-only">Requests</h1>
            <Filters view={view} keepers={keepers} networks={networks} show={show} />
            {problems.length === 0 ? null : <UrlProblems problems={problems} />}
          </div>
          <Results
            view={view}
            seed={seed}
            known={known}
            networks={networks}
            keepers={keepers}
            layout={layout}
            onLayout={onLayout}
            show={show}
          />
        </div>
      </TableClockProvider>
    </LinkedZone>
  );
}
