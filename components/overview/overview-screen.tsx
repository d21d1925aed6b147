import type { ReactNode } from 'react';
import type { Health } from '@/lib/core/health';
import type { CountsAnswer } from '@/lib/insights/overview';
import classes from './overview-screen.module.css';
import { ServiceCards } from './service-cards';
import { StateCounts } from './state-counts';

/** The first screen: is everything there, and did the last hour go well? */
export function OverviewScreen({
  keepers,
  stuck,
  first,
  health,
  renderedAtMs,
}: {
  keepers: readonly string[];
  /** What is stuck. */
  stuck: ReactNode;
  first: CountsAnswer;
  health: Health;
  /** Unix milliseconds. */
  renderedAtMs: number;
}) {
  return (
    <div className={classes.screen}>
      <h1 className="sr-only">Overview</h1>
      <section className={classes.part} aria-labelledby="stuck-title">
        <h2 id="stuck-title" className={classes.title}>
          Stuck requests
        </h2>
        {stuck}
      </section>
      <section className={classes.part} aria-labelledby="counts-title">
        <h2 id="counts-title" className={classes.title}>
          Requests of the last hour
        </h2>
        <StateCounts keepers={keepers} first={first} />
      </section>
      <section className={classes.part} aria-labelledby="services-title">
        <h2 id="services-title" className={classes.title}>
          Services
        </h2>
        <ServiceCards initial={health} renderedAtMs={renderedAtMs} />
      </section>
    </div>
  );
}
