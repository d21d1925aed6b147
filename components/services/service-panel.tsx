'use client';
import { useId } from 'react';
import { Icon } from '@/components/ui/icons';
import { SERVICE_ICONS } from '@/components/ui/service-icons';
import { servicePurpose, serviceRemedy } from '@/lib/client/health';
import { hostName, hostState, hostStateWords, keyRemedy } from '@/lib/client/service-words';
import type { HostReport, ServiceReport } from '@/lib/contract/codec/service-report';
import { ServiceFacts } from './service-facts';
import classes from './service-panel.module.css';
import { ServiceStreams } from './service-streams';
import { ServiceTroubles } from './service-troubles';

/** One host. @param nowMs the server's time, unix ms */
export function ServicePanel({ service, nowMs }: { service: ServiceReport; nowMs: number }) {
  const titleId = useId();
  const { label, host } = service;
  const state = hostState(service);
  return (
    <section className={classes.panel} data-service={label} data-health={state} aria-labelledby={titleId}>
      <div className={classes.head}>
        <h3 id={titleId} className={classes.name}>
          {hostName(label)}
        </h3>
        <span className={classes.state}>
          <Icon name={SERVICE_ICONS[state]} size={15} />
          {hostStateWords(service)}
        </span>
      </div>
      <p className={classes.purpose}>
        {label === 'router:symbols' ? 'The router’s list of symbols' : servicePurpose(label)}
        {host === undefined ? null : (
          <>
            {' · '}
            <code className={classes.address}>{host.address}</code>
          </>
        )}
      </p>
      {host === undefined ? (
        <p>{serviceRemedy(label, UNCONFIGURED)}</p>
      ) : (
        <Known service={service} host={host} nowMs={nowMs} />
      )}
    </section>
  );
}

const UNCONFIGURED = { configured: false, ok: null, checkedAt: null, latencyMs: null };

function Known({ service, host, nowMs }: { service: ServiceReport; host: HostReport; nowMs: number }) {
  const { label } = service;
  return (
    <>
      <KeyHelp service={service} host={host} />
      <ServiceFacts label={label} host={host} nowMs={nowMs} />
      {service.service === 'updates' || service.service === 'upgraded' ? (
        <ServiceStreams host={host} nowMs={nowMs} />
      ) : null}
      <ServiceTroubles calls={host.calls} nowMs={nowMs} />
    </>
  );
}

/** What to do about a key that the service does not take. */
function KeyHelp({ service, host }: { service: ServiceReport; host: HostReport }) {
  const remedy = keyRemedy(service.service, host);
  if (remedy === undefined) return null;
  return (
    <div role="alert" className={classes.help}>
      <p className={classes.helpTitle}>
        <Icon name="alert" size={15} /> {remedy.title}. What to do:
      </p>
      <ol>
        {remedy.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </div>
  );
}
