'use client';
import { ActionIcon, Button, Group, Popover, useMantineColorScheme } from '@mantine/core';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import { useLive } from '@/components/ui/live-controls';
import { useZoneSwitch } from '@/components/ui/time-style';
import { SERVICE_ICONS, useHealth } from '@/components/ui/use-health';
import { type Health, type ServiceHealth, serviceLabel, serviceState, stateWords } from '@/lib/core/health';
import { groupDigits } from '@/lib/core/numbers';
import type { Zone } from '@/lib/core/time-text';
import { type KnownIndex, useStuckCount } from '@/lib/pending/client';
import { PAGES } from './pages';
import classes from './shell.module.css';

/** The pages that exist, and whatever else belongs into the same row; `beside` stands beside the name. */
export function Navigation({
  known,
  beside,
  children,
}: {
  known: KnownIndex;
  beside: ReactNode;
  children: ReactNode;
}) {
  const pathname = usePathname() ?? '';
  const isCurrent = (href: string) => pathname === href || (href !== '/' && pathname.startsWith(`${href}/`));
  return (
    <nav className={classes.nav} aria-label="Main">
      <Link href="/" className={classes.brand} prefetch={false}>
        <BrandMark />
        <span className={classes.brandName}>Keeperscope</span>
      </Link>
      {beside}
      <ul className={classes.pages}>
        {PAGES.map(({ href, label }) => (
          <li key={href}>
            <Link
              href={href}
              prefetch={false}
              className={classes.page}
              aria-current={isCurrent(href) ? 'page' : undefined}
            >
              {label}
              {href === '/pending' ? <PendingCount first={known} /> : null}
            </Link>
          </li>
        ))}
      </ul>
      {children}
    </nav>
  );
}

/** The mark of the product; the name stands beside it. */
export function BrandMark() {
  return (
    <svg aria-hidden="true" width="22" height="22" viewBox="0 0 32 32">
      <rect width="32" height="32" rx="7" fill="#2a54cc" />
      <circle cx="16" cy="16" r="8.5" fill="none" stroke="#fff" strokeWidth="2.6" />
      <path
        d="M16 3.5v6M16 22.5v6M3.5 16h6M22.5 16h6"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
      <circle cx="16" cy="16" r="2.6" fill="#ffc53d" />
    </svg>
  );
}

const MOST_SHOWN = 999;

/**
 * How many requests are stuck that nobody has acknowledged, in the corner of the link so that it moves nothing; a question mark when that is not known.
 * Nothing is shown when nothing is stuck, before the first sync, and where no log service is configured.
 */
function PendingCount({ first }: { first: KnownIndex }) {
  const count = useStuckCount(first);
  if (count.kind !== 'stuck' && count.kind !== 'not-known') return null;
  const stuck = count.kind === 'stuck' ? count.stuck : undefined;
  const more =
    count.kind === 'stuck' && count.acknowledged > 0
      ? `, ${groupDigits(String(count.acknowledged))} more acknowledged`
      : '';
  const words =
    stuck === undefined
      ? 'stuck: unknown'
      : `${count.kind === 'stuck' && count.isWhole ? '' : 'at least '}${groupDigits(String(stuck))} ${stuck === 1 ? 'request is' : 'requests are'} stuck${more}`;
  const shown =
    stuck === undefined ? '?' : stuck > MOST_SHOWN ? `${MOST_SHOWN}+` : groupDigits(String(stuck));
  return (
    <span className={classes.count} data-status={stuck === undefined ? 'unknown' : 'stuck'} title={words}>
      <span aria-hidden="true">{shown}</span>
      <span className="sr-only">, {words}</span>
    </span>
  );
}

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

/** What belongs to the person and not to the page: in the navigation, or behind a button of it where it is narrow. */
export function Preferences({ leave }: { leave: string | undefined }) {
  const controls = (
    <>
      <ZoneSwitch />
      <ThemeSwitch />
      {leave === undefined ? null : <a href={leave}>Sign out</a>}
    </>
  );
  return (
    <>
      <Group gap="xs" wrap="nowrap" visibleFrom="lg">
        {controls}
      </Group>
      <Popover position="bottom-end" shadow="md" trapFocus returnFocus>
        <Popover.Target>
          <ActionIcon size="lg" hiddenFrom="lg" aria-label="Times and theme" title="Times and theme">
            <Icon name="sliders" size={16} />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown>
          <Group gap="xs">{controls}</Group>
        </Popover.Dropdown>
      </Popover>
    </>
  );
}

const ZONES: { value: Zone; label: string; title: string }[] = [
  { value: 'utc', label: 'UTC', title: 'Times in UTC' },
  { value: 'local', label: 'Local', title: 'Times by the clock of this computer' },
  { value: 'relative', label: 'Relative', title: 'Times as ages: 3 min ago' },
];

function ZoneSwitch() {
  const { zone, setZone } = useZoneSwitch();
  const live = useLive();
  return (
    <Button.Group aria-label="Times">
      {ZONES.map(({ value, label, title }) => (
        <Button
          key={value}
          size="compact-xs"
          disabled={!live}
          aria-pressed={zone === value}
          title={title}
          onClick={() => setZone(value)}
        >
          {label}
        </Button>
      ))}
    </Button.Group>
  );
}

const THEMES: { value: 'auto' | 'light' | 'dark'; label: string; icon: IconName }[] = [
  { value: 'auto', label: 'System', icon: 'screen' },
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
];

/** Which theme is chosen is known only to the browser: the server's markup, and the first pass over it, mark none. */
function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const live = useLive();
  return (
    <ActionIcon.Group aria-label="Theme">
      {THEMES.map(({ value, label, icon }) => (
        <ActionIcon
          key={value}
          variant="default"
          aria-pressed={live && colorScheme === value}
          aria-label={label}
          title={`${label} theme`}
          onClick={() => setColorScheme(value)}
        >
          <Icon name={icon} size={15} />
        </ActionIcon>
      ))}
    </ActionIcon.Group>
  );
}
