'use client';
import type { Route } from 'next';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import type { FeedCurrency } from '@/lib/domain/feed-cadence';
import classes from './feed-card.module.css';
import { currencyWord } from './feed-words';
import { RemoveMark } from './remove-mark';

/** How the feed of a card stands. */
export type CardState = FeedCurrency['word'] | 'waiting' | 'missing' | 'looking';

/** The frame of a card: a region named by the symbol, its state as a badge, and buttons that move it and take it away. */
export function CardFrame({
  name,
  detail,
  page,
  state,
  alerts,
  actions,
  arrange,
  onRemove,
  children,
}: {
  name: string;
  detail: string | undefined;
  /** Where its name leads; absent: nowhere. */
  page?: `/feeds/${string}`;
  state: CardState;
  /** `raised`: the card draws attention to itself. */
  alerts?: 'none' | 'set' | 'raised';
  /** Buttons before the one that removes the card. */
  actions?: ReactNode;
  /** `possible`: it has a grip to be moved by. */
  arrange?: 'possible';
  onRemove: () => void;
  children: ReactNode;
}) {
  return (
    <section className={classes.card} aria-label={name} data-state={state} data-alerts={alerts}>
      <header className={classes.head}>
        {arrange === undefined ? null : <Grip name={name} />}
        <h2 className={classes.symbol} title={detail ?? name}>
          <Name name={name} page={page} />
        </h2>
        <Badge state={state} />
        {actions}
        <button
          type="button"
          className={`icon-button ${classes.remove}`}
          data-removes=""
          aria-label={`Remove ${name}`}
          title="Remove from the board"
          onClick={(event) => {
            focusNeighbour(event.currentTarget);
            onRemove();
          }}
        >
          <RemoveMark />
        </button>
      </header>
      {children}
    </section>
  );
}

/** What it does stands in the board, around all cards. */
function Grip({ name }: { name: string }) {
  return (
    <button
      type="button"
      className={`icon-button ${classes.grip}`}
      data-grip=""
      aria-label={`Arrange ${name}`}
      aria-describedby="board-keys"
      title="Drag, or press an arrow key"
    >
      <svg aria-hidden="true" width="10" height="14" viewBox="0 0 10 14" fill="currentColor">
        {[2, 7, 12].flatMap((y) => [2, 8].map((x) => <circle key={`${x} ${y}`} cx={x} cy={y} r="1.25" />))}
      </svg>
    </button>
  );
}

function Name({ name, page }: { name: string; page: `/feeds/${string}` | undefined }) {
  const [group, pair] = splitSymbol(name);
  const text = (
    <bdi>
      {group === '' ? null : <span className={classes.group}>{group}</span>}
      <span className={classes.pair}>{pair}</span>
    </bdi>
  );
  return page === undefined ? (
    text
  ) : (
    // Sixty pages are not fetched because somebody might open one.
    <Link href={page as Route} prefetch={false} className={classes.page}>
      {text}
    </Link>
  );
}

const ICONS: Record<CardState, IconName> = {
  fresh: 'check',
  late: 'clock',
  stale: 'alert',
  closed: 'moon',
  inactive: 'dash',
  waiting: 'dotted',
  looking: 'search',
  missing: 'question',
};

const WORDS = { waiting: 'Waiting', looking: 'Looking it up', missing: 'Unknown feed' };

function Badge({ state }: { state: CardState }) {
  const words =
    state === 'waiting' || state === 'looking' || state === 'missing' ? WORDS[state] : currencyWord(state);
  return (
    <span className={classes.badge}>
      <Icon name={ICONS[state]} size={12} /> <span className={classes.state}>{words}</span>
    </span>
  );
}

/** The focus would be lost with the button: it goes to the same button of the next card, or of the one before. */
function focusNeighbour(button: HTMLElement): void {
  const card = button.closest('[data-tile]') ?? button.closest('section');
  const neighbour = card?.nextElementSibling ?? card?.previousElementSibling;
  neighbour?.querySelector<HTMLElement>('button[data-removes]')?.focus({ preventScroll: true });
}

/** What is to be said of a feed without a chart. It stands where the chart would, so nothing else moves. */
export function CardNotice({ children }: { children: ReactNode }) {
  return <p className={classes.notice}>{children}</p>;
}

export function CardFact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.fact} data-fact={label}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const NOTHING = <span className={classes.none}>—</span>;

/** The place of the price before there is one: the same line, so that nothing moves when it comes. */
export function NoPrice() {
  return <p className={classes.price}>{NOTHING}</p>;
}

/** The same for the numbers below the chart. */
export function NoFacts() {
  return (
    <dl className={classes.facts}>
      <CardFact label="Confidence">{NOTHING}</CardFact>
      <CardFact label="EMA">{NOTHING}</CardFact>
      <CardFact label="Age">{NOTHING}</CardFact>
    </dl>
  );
}

/** `Crypto.BTC/USD` → `Crypto.` and `BTC/USD`: the second is what one looks for. */
function splitSymbol(symbol: string): [string, string] {
  const dot = symbol.indexOf('.');
  return dot === -1 ? ['', symbol] : [symbol.slice(0, dot + 1), symbol.slice(dot + 1)];
}
