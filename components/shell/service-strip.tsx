'use client';
import Link from 'next/link';
import { Icon } from '@/components/ui/icons';
import { SERVICE_ICONS } from '@/components/ui/service-icons';
import { useHealth } from '@/components/ui/use-health';
import { type Health, type ServiceHealth, serviceLabel, serviceState, stateWords } from '@/lib/core/health';
import classes from './shell.module.css';

function ServiceItem({ name, health }: { name: string; health: ServiceHealth }) {
  return (
    <li className={classes.service} data-service={name} data-health={serviceState(health)}>
      <Icon name={SERVICE_ICONS[serviceState(health)]} size={14} />
      {serviceLabel(name)} <span className={classes.words}>{stateWords(health)}</span>
    </li>
  );
}

/** Service health in one dot that leads to the services; in words only what is wrong, the first of it in full. */
export function ServiceStrip({ initial }: { initial: Health }) {
  const query = useHealth(initial);
  const { services } = query.data;
  const failing = Object.entries(services ?? {}).filter(([, health]) => serviceState(health) === 'failing');
  const [first, ...more] = failing;
  if (services === undefined) return <a href="/sign-in">You are signed out. Sign in again.</a>;
  const words = query.isError
    ? 'The dashboard’s server does not answer'
    : failing.length === 0
      ? 'Service health'
      : `Service health: ${failing.map(([name, health]) => `${serviceLabel(name)} ${stateWords(health)}`).join(', ')}`;
  return (
    <section className={classes.strip} aria-label="Service health">
      <Link
        href="/services"
        prefetch={false}
        className={classes.dot}
        data-health={query.isError || failing.length > 0 ? 'failing' : 'ok'}
        aria-label={words}
        title={words}
      />
      {query.isError ? (
        <p className={classes.service} data-health="failing">
          <Icon name="alert" size={14} />
          The dashboard’s server does not answer
        </p>
      ) : null}
      {first === undefined || query.isError ? null : (
        <ul className={classes.list}>
          <ServiceItem name={first[0]} health={first[1]} />
          {more.length === 0 ? null : <li className={classes.service}>and {more.length} more</li>}
        </ul>
      )}
    </section>
  );
}
