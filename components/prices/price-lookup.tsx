'use client';
import { useMemo } from 'react';
import { Icon } from '@/components/ui/icons';
import { LiveControls } from '@/components/ui/live-controls';
import warnings from '@/components/ui/warning-list.module.css';
import { clipped } from '@/lib/client/foreign-text';
import { countCalls } from '@/lib/client/price-lookup-plan';
import { useSymbols } from '@/lib/client/symbol-directory';
import { usePriceLookup } from '@/lib/client/use-price-lookup';
import type { UrlProblem } from '@/lib/domain/url-problem';
import { LookupFeeds } from './lookup-feeds';
import { LookupMoment } from './lookup-moment';
import { LookupOptionsForm } from './lookup-options';
import { LookupResult } from './lookup-result';
import { LookupStanding } from './lookup-standing';
import classes from './price-lookup.module.css';
import { useLookupAsk } from './use-lookup-ask';
import { usePricesView } from './use-prices-view';

/** More calls than this are made when somebody says so, not because a link was opened. */
const CALLS_AT_ONCE = 30;

/** The prices of some feeds at one moment, of all sources side by side: its address says what is asked. */
export function PriceLookup({ writtenAtMs }: { writtenAtMs: number }) {
  const { view, problems, show } = usePricesView();
  const standing = useSymbols();
  const { ask: wanted, symbols, directory, problems: unaskable } = useLookupAsk(view, standing);
  const calls = useMemo(() => (wanted === undefined ? 0 : countCalls(wanted)), [wanted]);
  const begins = calls <= CALLS_AT_ONCE ? 'at once' : 'when told';
  const lookup = usePriceLookup(wanted, begins);
  const { ask } = lookup;
  return (
    <>
      <LiveControls>
        <section className={classes.form} aria-label="What to look up">
          <LookupFeeds view={view} show={show} symbols={symbols} directory={directory} />
          <LookupMoment at={view.at} show={show} />
          <LookupOptionsForm view={view} show={show} />
        </section>
      </LiveControls>
      <Problems problems={[...problems, ...unaskable]} />
      {ask === undefined ? (
        <Nothing
          why={view.feeds.length === 0 ? 'no feeds' : directory === 'waiting' ? 'waiting' : 'unknown'}
        />
      ) : (
        <>
          <LookupStanding ask={ask} lookup={lookup} calls={calls} writtenAtMs={writtenAtMs} />
          <LookupResult ask={ask} state={lookup.state} view={view} show={show} />
        </>
      )}
    </>
  );
}

function Nothing({ why }: { why: 'no feeds' | 'waiting' | 'unknown' }) {
  if (why === 'waiting') {
    return (
      <p role="status" className={classes.quiet}>
        Loading the list of feeds…
      </p>
    );
  }
  if (why === 'unknown') return null;
  return (
    <div className={classes.nothing}>
      <h2>Choose feeds to see what each service says of them</h2>
      <p>
        The price update service on its old and its upgraded host and the router are asked for the same feeds
        at the same moment. Prices stand side by side with every digit, and are marked where they disagree by
        more than their confidence.
      </p>
    </div>
  );
}

function Problems({ problems }: { problems: readonly UrlProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className={warnings.list} aria-label="Not understood in the address">
      {problems.slice(0, 8).map(({ param, value, message }) => (
        <li key={`${param} ${value} ${message}`}>
          <Icon name="alert" size={14} />
          <span>
            <code className="foreign">
              {clipped(param, 40)}={clipped(value, 80)}
            </code>{' '}
            {message}
          </span>
        </li>
      ))}
      {problems.length > 8 ? <li>And {problems.length - 8} more.</li> : null}
    </ul>
  );
}
