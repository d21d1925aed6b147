'use client';
import { CopyButton } from '@/components/ui/copy-button';
import type { LookupAsk, LookupCall } from '@/lib/client/price-lookup';
import { lookupCallAsCurl } from '@/lib/client/price-lookup-curl';
import { deprecatedFollowUp, planLookup } from '@/lib/client/price-lookup-plan';
import type { LookupState } from '@/lib/client/price-lookup-state';
import { callTitle } from './lookup-json';
import classes from './lookup-result.module.css';
import { SCROLLED_BY_KEYS } from './scrolled-by-keys';

/** Of each source so many; the others differ by their feed. */
const MOST_OF_A_SOURCE = 5;

/** The calls of a lookup for a terminal, at the services themselves. */
export function LookupCurl({ ask, state }: { ask: LookupAsk; state: LookupState }) {
  const calls = [...planLookup(ask).calls, ...deprecatedFollowUp(ask, state.cells).calls];
  const shown = ask.options.sources.flatMap((source) =>
    calls.filter((call) => call.source === source).slice(0, MOST_OF_A_SOURCE),
  );
  const left = calls.length - shown.length;
  return (
    <div className={classes.calls}>
      <p className={classes.quiet}>
        Address and key stand in your own environment: UPDATES_URL and UPDATES_API_KEY, UPGRADED_UPDATES_URL
        and UPGRADED_UPDATES_API_KEY, ROUTER_URL and ROUTER_API_KEY.
      </p>
      {shown.map((call) => (
        <Command key={`${call.source} ${call.feeds[0]?.key}`} ask={ask} call={call} />
      ))}
      {left === 0 ? null : <p className={classes.quiet}>And {left} more, which differ by their feed.</p>}
    </div>
  );
}

function Command({ ask, call }: { ask: LookupAsk; call: LookupCall }) {
  const title = callTitle(ask, call);
  const command = lookupCallAsCurl(call);
  return (
    <section className={classes.call} aria-label={title}>
      <div className={classes.callHead}>
        <h3>{title}</h3>
        <CopyButton value={command} label={`Copy the command: ${title}`} />
      </div>
      <pre className={classes.text} {...SCROLLED_BY_KEYS}>
        {command}
      </pre>
    </section>
  );
}
