'use client';
import { useNow } from '@/components/ui/clock';
import { Icon } from '@/components/ui/icons';
import { useMomentText } from '@/components/ui/time-style';
import { SERVICE_ICONS, useHealth } from '@/components/ui/use-health';
import {
  type Health,
  type ServiceHealth,
  serviceLabel,
  servicePurpose,
  serviceRemedy,
  serviceState,
  stateWords,
} from '@/lib/core/health';
import { formatAge } from '@/lib/core/time';
import classes from './service-cards.module.css';

function LastCall({ health, nowMs }: { health: ServiceHealth; nowMs: number }) {
  const momentText = useMomentText();
  const atMs = health.checkedAt === null ? null : Date.parse(health.checkedAt);
  if (atMs === null) return <>No call yet</>;
  return (
    <span title={momentText(atMs).title}>
      Last call {formatAge(nowMs - atMs)} ago
      {health.latencyMs === null ? null : `, took ${Math.round(health.latencyMs)} ms`}
    </span>
  );
}

function ServiceCard({ name, health, nowMs }: { name: string; health: ServiceHealth; nowMs: number }) {
  const state = serviceState(health);
  const remedy = serviceRemedy(name, health);
  return (
    <li className={classes.card} data-service={name} data-health={state}>
      <div className={classes.head}>
        <h3 className={classes.name}>{serviceLabel(name)}</h3>
        <span className={classes.state}>
          <Icon name={SERVICE_ICONS[state]} size={15} />
          {stateWords(health)}
        </span>
      </div>
      <p className={classes.purpose}>{servicePurpose(name)}</p>
      <p className={`${classes.call} num`}>
        {remedy === undefined ? <LastCall health={health} nowMs={nowMs} /> : remedy}
      </p>
    </li>
  );
}

/** Each service: how the last call to it went, and what to do where it went wrong. */
export function ServiceCards({ initial, renderedAtMs }: { initial: Health; renderedAtMs: number }) {
  const nowMs = useNow(renderedAtMs);
  const { data } = useHealth(initial);
  return (
    <ul className={classes.cards}>
      {Object.entries(data.services ?? {}).map(([name, health]) => (
        <ServiceCard key={name} name={name} health={health} nowMs={nowMs} />
      ))}
    </ul>
  );
}
