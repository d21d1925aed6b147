'use client';
import { Button } from '@mantine/core';
import { useNow } from '@/lib/client/clock';
import { countOf } from '@/lib/client/human-number';
import { formatDuration } from '@/lib/client/human-time';
import type { LookupAsk } from '@/lib/client/price-lookup';
import { lookupCsv, lookupFileName } from '@/lib/client/price-lookup-csv';
import { lookupRows } from '@/lib/client/price-lookup-rows';
import type { LookupService, LookupState } from '@/lib/client/price-lookup-state';
import { saveFile } from '@/lib/client/save-file';
import type { PriceLookupHandle } from '@/lib/client/use-price-lookup';
import classes from './lookup-standing.module.css';

const SERVICE_NAMES: Readonly<Record<LookupService, string>> = {
  updates: 'The price update service',
  upgraded: 'The upgraded price update service',
  router: 'The price router',
};

/** How far the lookup is, what it found, and what can be done with it. */
export function LookupStanding({
  ask,
  lookup,
  calls,
  writtenAtMs,
}: {
  ask: LookupAsk;
  lookup: PriceLookupHandle;
  /** As many as it takes when none is refused. */
  calls: number;
  writtenAtMs: number;
}) {
  const { state, start, cancel } = lookup;
  const isRunning = state.phase === 'running';
  return (
    <div className={classes.standing} data-phase={state.phase}>
      <p role="status" className={classes.words}>
        {isRunning ? 'Asking…' : standingWords(ask, state, calls)}
      </p>
      {isRunning ? <Progress state={state} writtenAtMs={writtenAtMs} /> : null}
      <div className={classes.actions}>
        {isRunning ? (
          <Button onClick={cancel}>Cancel</Button>
        ) : (
          <Button variant={state.phase === 'idle' ? 'filled' : 'default'} onClick={start}>
            {state.phase === 'idle' ? 'Look up' : 'Look up again'}
          </Button>
        )}
        <Button disabled={state.calls.made === 0} onClick={() => saveCsv(ask, state)}>
          CSV
        </Button>
      </div>
    </div>
  );
}

function saveCsv(ask: LookupAsk, state: LookupState): void {
  const standing = state.phase === 'ended' ? 'complete' : 'incomplete';
  const text = lookupCsv(lookupRows(ask, state), standing);
  const name = lookupFileName(Date.now(), 'csv');
  saveFile(new Blob([text], { type: 'text/csv;charset=utf-8' }), name);
}

/** What stands where nothing moves: how large the lookup is, or what it found. */
function standingWords(ask: LookupAsk, state: LookupState, calls: number): string {
  const rows = countOf(String(ask.feeds.length), 'row', 'rows');
  if (state.phase === 'idle') {
    return `${rows}, not asked yet: ${countOf(String(calls), 'call', 'calls')}.`;
  }
  const made = countOf(String(state.calls.made), 'call', 'calls');
  const apart = lookupRows(ask, state).filter(({ compared }) => compared?.verdict === 'beyond').length;
  const found =
    apart === 0
      ? ''
      : ` In ${countOf(String(apart), 'row', 'rows')} prices are further apart than their combined confidence.`;
  if (state.phase === 'cancelled') return `Cancelled after ${made}.${found}`;
  const tookMs = Math.max(0, state.endedMs - state.startedMs);
  return `${rows} of ${made} in ${formatDuration(tookMs)}.${found}`;
}

function Progress({ state, writtenAtMs }: { state: LookupState; writtenAtMs: number }) {
  const { made, planned } = state.calls;
  const nowMs = useNow(writtenAtMs);
  const pauses = Object.entries(state.pauses).filter(([, untilMs]) => untilMs > nowMs);
  return (
    <div className={classes.progress}>
      <progress aria-label="Calls answered" value={made} max={Math.max(1, planned)} />
      <span className="num">
        {made} of {planned} calls
      </span>
      {pauses.map(([service, untilMs]) => (
        <span key={service} className={classes.pause}>
          {SERVICE_NAMES[service as LookupService]} limits our calls: asked again in{' '}
          <span className="num">{Math.ceil((untilMs - nowMs) / 1000)} s</span>.
        </span>
      ))}
    </div>
  );
}
