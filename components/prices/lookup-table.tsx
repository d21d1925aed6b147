'use client';
import { Button } from '@mantine/core';
import { useDeferredValue, useState } from 'react';
import type { LookupAsk } from '@/lib/client/price-lookup';
import { lookupRows } from '@/lib/client/price-lookup-rows';
import type { LookupState } from '@/lib/client/price-lookup-state';
import { SOURCE_NAMES } from '@/lib/client/price-lookup-words';
import type { LookupSource } from '@/lib/contract/codec/prices-url';
import { LookupRowView } from './lookup-row';
import classes from './lookup-table.module.css';
import { SCROLLED_BY_KEYS } from './scrolled-by-keys';

/** A long lookup is drawn in steps; its CSV has all rows. */
const STEP = 50;

/**
 * A row for each feed, a column for each source. Answers are drawn when the browser has time for it, so that
 * those which come together are drawn once, and nobody waits for it who types or scrolls.
 */
export function LookupTable({
  ask,
  state,
  channel,
}: {
  ask: LookupAsk;
  state: LookupState;
  channel: string;
}) {
  const [shown, setShown] = useState(STEP);
  const all = ask.feeds.length;
  const drawn = useDeferredValue(state);
  // Answers of another question have no row here.
  const rows = lookupRows(ask, drawn.ask === ask ? drawn : state, shown);
  return (
    <>
      <section className={classes.scroll} aria-label="Prices, side by side" {...SCROLLED_BY_KEYS}>
        <table className={classes.table} data-sources={ask.options.sources.length}>
          <caption className="sr-only">Prices of each source</caption>
          <thead>
            <tr>
              <th scope="col">Feed</th>
              {ask.options.sources.map((source) => (
                <th key={source} scope="col" data-source={source}>
                  <Head source={source} channel={channel} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <LookupRowView key={row.feed.key} row={row} />
            ))}
          </tbody>
        </table>
      </section>
      {rows.length < all ? (
        <p className={classes.more}>
          {rows.length} of {all} rows.{' '}
          <Button onClick={() => setShown((before) => before + STEP)}>
            Show {Math.min(STEP, all - rows.length)} more
          </Button>
        </p>
      ) : null}
      <Legend />
    </>
  );
}

function Head({ source, channel }: { source: LookupSource; channel: string }) {
  const { name, hint } = SOURCE_NAMES[source];
  return (
    <>
      <span className={classes.source}>{name}</span>{' '}
      {source === 'deprecated' ? <span className={classes.deprecated}>deprecated</span> : null}{' '}
      <span className={classes.hint}>{source === 'router' ? channel : hint}</span>
    </>
  );
}

function Legend() {
  return (
    <p className={classes.legend}>
      Differences are measured from the first column that has a price, in basis points (hundredths of a
      percent). Combined confidence is the sum of both confidences: within it the two intervals price ±
      confidence touch. Update services answer with the first update at or after the second, the router with
      the one that was current at the moment, so a fast market may move between the two. The time in brackets
      behind a publish time is its distance from the moment asked for; with now, from when the answer came by
      this computer’s clock.
    </p>
  );
}
