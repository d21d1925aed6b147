'use client';
import { Icon } from '@/components/ui/icons';
import { SERVICE_ICONS } from '@/components/ui/service-icons';
import { type Health, type ServiceHealth, serviceLabel, serviceState, stateWords } from '@/lib/client/health';
import { useSteadyWords } from '@/lib/client/time-style';
import { useHealth } from '@/lib/client/use-health';
import classes from './service-strip.module.css';

function lastCall(health: ServiceHealth, words: (ms: number) => string): string {
  if (health.checkedAt === null) return '';
  const took = health.latencyMs === null ? '' : `, took ${Math.round(health.latencyMs)} ms`;
  return `. Last call ${words(Date.parse(health.checkedAt))}${took}`;
}

function ServiceItem({ name, health }: { name: string; health: ServiceHealth }) {
  const words = stateWords(health);
  const momentWords = useSteadyWords();
  return (
    <li
      className={classes.service}
      data-service={name}
      data-health={serviceState(health)}
      title={`${serviceLabel(name)}: ${words}${lastCall(health, momentWords)}`}
    >
      <Icon name={SERVICE_ICONS[serviceState(health)]} size={14} />
      <span className={classes.name}>{serviceLabel(name)}</span>
      <span className={classes.words}>{words}</span>
    </li>
  );
}

/** One indicator per service: an icon of its own shape, the name, and the state in words. */
export function ServiceStrip({ initial }: { initial: Health }) {
  const query = useHealth(initial);
  const services = Object.entries(query.data.services ?? {});
  return (
    <section className={classes.strip} aria-label="Health of the services">
      {query.isError ? (
        <p className={classes.service} data-health="failing">
          <Icon name="alert" size={14} />
          <span className={classes.words}>This dashboard’s own server does not answer</span>
        </p>
      ) : null}
      {query.data.services === undefined ? <a href="/sign-in">You are signed out. Sign in again.</a> : null}
      <ul className={classes.list} data-stale={query.isError ? 'yes' : undefined}>
        {services.map(([name, health]) => (
          <ServiceItem key={name} name={name} health={health} />
        ))}
      </ul>
    </section>
  );
}
