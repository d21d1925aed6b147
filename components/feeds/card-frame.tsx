'use client';
import type { ReactNode } from 'react';
import classes from './feed-card.module.css';
import { RemoveMark } from './remove-mark';

/** The frame of a card: a region named by the symbol, its state as a badge, and a button that removes it. */
export function CardFrame({
  name,
  detail,
  state,
  badge,
  onRemove,
  children,
}: {
  name: string;
  detail: string | undefined;
  /** For styles; the badge says it in words. */
  state: 'fresh' | 'late' | 'stale' | 'waiting' | 'missing';
  badge: ReactNode;
  onRemove: () => void;
  children: ReactNode;
}) {
  const [group, pair] = splitSymbol(name);
  return (
    <section className={classes.card} aria-label={name} data-state={state}>
      <header className={classes.head}>
        <h2 className={classes.symbol} title={detail ?? name}>
          <bdi>
            {group === '' ? null : <span className={classes.group}>{group}</span>}
            {pair}
          </bdi>
        </h2>
        <span className={classes.badge}>{badge}</span>
        <button
          type="button"
          className={`icon-button ${classes.remove}`}
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

/** The focus would be lost with the button: it goes to the same button of the next card, or of the one before. */
function focusNeighbour(button: HTMLElement): void {
  const card = button.closest('section');
  const neighbour = card?.nextElementSibling ?? card?.previousElementSibling;
  neighbour?.querySelector('button')?.focus({ preventScroll: true });
}

/** What is to be said of a feed without a chart. It stands where the chart would, so nothing else moves. */
export function CardNotice({ children }: { children: ReactNode }) {
  return <p className={classes.notice}>{children}</p>;
}

export function CardFact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const NOTHING = <span className={classes.none}>—</span>;

/** The place of the numbers before there are any: the same lines, so that nothing moves when they come. */
export function NoNumbers() {
  return (
    <>
      <p className={classes.price}>{NOTHING}</p>
      <dl className={classes.facts}>
        <CardFact label="Confidence">{NOTHING}</CardFact>
        <CardFact label="EMA">{NOTHING}</CardFact>
        <CardFact label="Published">{NOTHING}</CardFact>
        <CardFact label="Age">{NOTHING}</CardFact>
      </dl>
    </>
  );
}

/** `Crypto.BTC/USD` → `Crypto.` and `BTC/USD`: the second is what one looks for. */
function splitSymbol(symbol: string): [string, string] {
  const dot = symbol.indexOf('.');
  return dot === -1 ? ['', symbol] : [symbol.slice(0, dot + 1), symbol.slice(dot + 1)];
}
