'use client';
import { Toolbar, useMantineColorScheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useLive } from '@/components/ui/live-controls';
import { PAGES } from '@/components/ui/pages';
import { useZoneSwitch } from '@/components/ui/time-style';
import { useHealth } from '@/components/ui/use-health';
import { type Health, serviceLabel, serviceState, stateWords } from '@/lib/core/health';
import { countOf, groupDigits } from '@/lib/core/numbers';
import type { Zone } from '@/lib/core/time-text';
import { type RenderedIndex, useStuckCount } from '@/lib/pending/client/stuck-count';
import { severityTone } from '@/lib/pending/severity';
import { useRecovery } from '@/lib/requests/client/use-followed';
import { markPage } from '@/lib/watches/client/page-title';
import classes from './shell.module.css';

type NavigationProps = { rendered: RenderedIndex; beside: ReactNode; children: ReactNode };

export function Navigation({ rendered, beside, children }: NavigationProps) {
  const pathname = usePathname() ?? '';
  const isCurrent = (href: string) => pathname === href || (href !== '/' && pathname.startsWith(`${href}/`));
  return (
    <nav className={classes.nav} aria-label="Main">
      {/* Not in the Tab order, because the link to the first page leads to the same place. */}
      <Link href="/" className={classes.brand} aria-label="Keeperscope" tabIndex={-1}>
        <BrandMark />
        <span className={classes.name}>Keeperscope</span>
      </Link>
      {beside}
      {/* A toolbar is a single Tab stop, which shortens the way to the content. */}
      <Toolbar unstyled className={classes.bar} aria-label="Pages and tools">
        <ul className={classes.pages}>
          {PAGES.map(({ href, label }) => (
            <li key={href}>
              <Link
                href={href}
                className={classes.page}
                aria-current={isCurrent(href) ? 'page' : undefined}
                data-toolbar-toggle=""
              >
                {label}
                {href === '/pending' ? <PendingCount first={rendered} /> : null}
              </Link>
            </li>
          ))}
        </ul>
        {children}
      </Toolbar>
      <Recovery />
    </nav>
  );
}

function Recovery() {
  useRecovery();
  return null;
}

/** Decorative beside the name. */
export function BrandMark({ size = 22 }: { size?: number }) {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 32 32">
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

const MAX_SHOWN = 999;
/** On a phone, by the style sheet. */
const MAX_SHORT = 99;

/** Stuck requests that are not acknowledged. Renders nothing at 0. */
function PendingCount({ first }: { first: RenderedIndex }) {
  const count = useStuckCount(first);
  const stuck = count.kind === 'stuck' ? count.stuck : 0;
  useEffect(() => markPage({ stuck }), [stuck]);
  if (count.kind !== 'stuck' && count.kind !== 'not-known') return null;
  const [shown, words] = count.kind === 'stuck' ? stuckWords(count) : ['?', 'stuck: unknown'];
  const tone = count.kind === 'stuck' ? severityTone(count.worst) : 'odd';
  return (
    <span
      className={classes.count}
      style={{ backgroundColor: `var(--ks-${tone})` }}
      data-status={shown === '?' ? 'unknown' : 'stuck'}
      data-tone={tone}
      data-short={count.kind === 'stuck' && stuck > MAX_SHORT ? `${MAX_SHORT}+` : undefined}
      title={words}
    >
      <span aria-hidden="true">{shown}</span>
      <span className="sr-only">, {words}</span>
    </span>
  );
}

type Stuck = Extract<ReturnType<typeof useStuckCount>, { kind: 'stuck' }>;

function stuckWords({ stuck, acknowledged, isWhole }: Stuck): [shown: string, words: string] {
  const acknowledgedText = acknowledged > 0 ? `, ${groupDigits(acknowledged)} more acknowledged` : '';
  const words = `${isWhole ? '' : 'at least '}${countOf(stuck, 'request is', 'requests are')} stuck${acknowledgedText}`;
  return [stuck > MAX_SHOWN ? `${MAX_SHOWN}+` : String(stuck), words];
}

/** Names the faults, the first one in full. */
export function ServiceStrip({ initial }: { initial: Health }) {
  const { data, isError } = useHealth(initial);
  const { services } = data;
  if (services === undefined) return <a href="/sign-in">You are signed out. Sign in again.</a>;
  const failing = Object.entries(services).filter(([, health]) => serviceState(health) === 'failing');
  const isChecked = Object.values(services).some((health) => serviceState(health) === 'ok');
  const faultTexts = failing.map(([name, health]) => `${serviceLabel(name)} ${stateWords(health)}`);
  const [first] = isError ? ['Dashboard server unreachable'] : faultTexts;
  const words = isError ? first : ['Service health', faultTexts.join(', ')].filter(Boolean).join(': ');
  return (
    <section className={classes.health} aria-label="Service health">
      <Link
        href="/services"
        className={classes.dot}
        data-toolbar-toggle=""
        data-health={first === undefined ? 'ok' : 'failing'}
        aria-label={words}
        title={words}
      >
        {first === undefined ? <span>Services{isChecked ? ' OK' : ''}</span> : null}
      </Link>
      {first === undefined ? null : (
        <p
          className={classes.trouble}
          data-service={isError ? undefined : failing[0]?.[0]}
          data-health="failing"
        >
          <Icon name="alert" size={14} /> {first}
          {faultTexts.length > 1 && !isError ? ` and ${faultTexts.length - 1} more` : ''}
        </p>
      )}
    </section>
  );
}

const PREFERENCES_ID = 'preferences';
/** Up to this width the settings are in the popover. The style sheet has the same. */
const FOLDED = '(max-width: 74.99375em)';

/** Preferences in the navigation, or on a narrow screen in a popover. */
export function Preferences({ leave }: { leave: string | undefined }) {
  const { zone, setZone } = useZoneSwitch();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  // Only the browser knows the chosen theme, so the server's markup and the first render mark none.
  const theme = useLive() ? colorScheme : undefined;
  const isFolded = useMediaQuery(FOLDED) === true;
  return (
    <>
      <button
        type="button"
        className={classes.opener}
        data-toolbar-toggle=""
        data-disabled={isFolded ? undefined : ''}
        popoverTarget={PREFERENCES_ID}
        aria-label="Times and theme"
        title="Times and theme"
      >
        <Icon name="sliders" size={16} />
      </button>
      <div id={PREFERENCES_ID} popover="auto" className={classes.preferences}>
        <Switch label="Times" options={ZONES} value={zone} onChoose={setZone} isFolded={isFolded} />
        <Switch label="Theme" options={THEMES} value={theme} onChoose={setColorScheme} isFolded={isFolded} />
        {leave === undefined ? null : <a href={leave}>Sign out</a>}
      </div>
    </>
  );
}

type Option<T> = { value: T; label: string; title: string; icon?: IconName };

const ZONES: Option<Zone>[] = [
  { value: 'utc', label: 'UTC', title: 'Times in UTC' },
  { value: 'local', label: 'Local', title: 'Times by the clock of this computer' },
  { value: 'relative', label: 'Relative', title: 'Times as ages: 3 min ago' },
];
const THEMES: Option<'auto' | 'light' | 'dark'>[] = [
  { value: 'auto', label: 'System', title: 'System theme', icon: 'screen' },
  { value: 'light', label: 'Light', title: 'Light theme', icon: 'sun' },
  { value: 'dark', label: 'Dark', title: 'Dark theme', icon: 'moon' },
];

type SwitchProps<T> = {
  label: string;
  options: Option<T>[];
  value: T | undefined;
  onChoose: (value: T) => void;
  /** The arrow keys of the toolbar do not apply in the popover. */
  isFolded: boolean;
};

function Switch<T extends string>({ label, options, value, onChoose, isFolded }: SwitchProps<T>) {
  const live = useLive();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has its own border and can't stay in the line
    <div role="group" aria-label={label} className={classes.switch}>
      {options.map(({ value: optionValue, label: name, title, icon }) => (
        <button
          key={optionValue}
          type="button"
          className={classes.button}
          data-toolbar-toggle=""
          data-disabled={isFolded ? '' : undefined}
          tabIndex={isFolded ? 0 : undefined}
          disabled={!live}
          aria-pressed={value === optionValue}
          aria-label={icon && name}
          title={title}
          onClick={() => onChoose(optionValue)}
        >
          {icon ? <Icon name={icon} size={15} /> : name}
        </button>
      ))}
    </div>
  );
}
