'use client';
import type { LookupAsk } from '@/lib/client/price-lookup';
import type { LookupState } from '@/lib/client/price-lookup-state';
import type { LookupMode, PricesView } from '@/lib/contract/codec/prices-url';
import { LookupCurl } from './lookup-curl';
import { LookupJson } from './lookup-json';
import { LookupPayloads } from './lookup-payloads';
import classes from './lookup-result.module.css';
import { LookupTable } from './lookup-table';
import type { ShowPrices } from './use-prices-view';

const MODES: readonly { mode: LookupMode; label: string }[] = [
  { mode: 'table', label: 'Table' },
  { mode: 'json', label: 'JSON as sent' },
  { mode: 'curl', label: 'curl' },
];

/** What a lookup found, in the form of choice. */
export function LookupResult({
  ask,
  state,
  view,
  show,
}: {
  ask: LookupAsk;
  state: LookupState;
  view: PricesView;
  show: ShowPrices;
}) {
  return (
    <section className={classes.result} aria-label="Result">
      <fieldset className={classes.modes}>
        <legend className="sr-only">Shown as</legend>
        {MODES.map(({ mode, label }) => (
          <label key={mode} className={classes.mode} data-chosen={view.mode === mode ? 'yes' : undefined}>
            <input
              type="radio"
              name="mode"
              className="sr-only"
              checked={view.mode === mode}
              onChange={() => show((now) => ({ ...now, mode }), 'replace')}
            />
            {label}
          </label>
        ))}
      </fieldset>
      {view.mode === 'table' ? (
        <>
          <LookupTable ask={ask} state={state} channel={view.channel} />
          <LookupPayloads ask={ask} answers={state.answers} />
        </>
      ) : null}
      {view.mode === 'json' ? <LookupJson ask={ask} state={state} /> : null}
      {view.mode === 'curl' ? <LookupCurl ask={ask} state={state} /> : null}
    </section>
  );
}
