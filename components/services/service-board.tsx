'use client';
import { Button } from '@mantine/core';
import { FailureNotice } from '@/components/ui/failure-notice';
import { Icon } from '@/components/ui/icons';
import { useLive } from '@/components/ui/live-controls';
import { useNow } from '@/lib/client/clock';
import { explainFailure } from '@/lib/client/explain-failure';
import { serverNowMs } from '@/lib/client/service-report';
import { useSteadyWords } from '@/lib/client/time-style';
import { useServicesReport } from '@/lib/client/use-services-report';
import type { ServicesReport } from '@/lib/contract/codec/service-report';
import classes from './service-board.module.css';
import { ServicePanel } from './service-panel';

/** Every service and host: key, calls, limits, budget, and streams, as our own server has met them. */
export function ServiceBoard({ first }: { first: ServicesReport }) {
  const { view, check, checking } = useServicesReport(first);
  const { report, trouble } = view;
  const nowMs = serverNowMs(view, useNow(first.atMs));
  const moment = useSteadyWords();
  const live = useLive();
  return (
    <section
      className={classes.board}
      aria-labelledby="services-title"
      data-stale={trouble ? 'yes' : undefined}
    >
      <div className={classes.head}>
        <h2 id="services-title" className={classes.title}>
          How the services are
        </h2>
        <p className={`${classes.since} num`}>
          Counted since {moment(report.startedAtMs)}, when this server started; looked at every 5 s
        </p>
        <Button onClick={check} disabled={!live || checking !== undefined} className={classes.check}>
          {checking ? 'Checking…' : 'Check now'}
        </Button>
      </div>
      {trouble === undefined ? null : (
        <FailureNotice
          {...explainFailure(trouble)}
          kept={`What is shown is from ${moment(report.atMs)}.`}
          retryInS={undefined}
          onRetry={undefined}
        />
      )}
      {report.access === 'open' ? (
        <p role="alert" className={classes.open}>
          <Icon name="alert" size={15} /> Anyone who can reach this dashboard can use it and the keys behind
          it (ACCESS=open). Set ACCESS to local, password or proxy to change that.
        </p>
      ) : null}
      <div className={classes.panels}>
        {report.services.map((service) => (
          <ServicePanel key={service.label} service={service} nowMs={nowMs} />
        ))}
      </div>
      <p className={classes.note}>
        “Check now” asks each service one small question; nothing else on this page calls a service.
      </p>
    </section>
  );
}
