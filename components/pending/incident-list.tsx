'use client';
import { useState } from 'react';
import { groupDigits } from '@/lib/client/human-number';
import { steadyOrder } from '@/lib/client/steady-order';
import type { TriageState } from '@/lib/contract/codec/triage';
import type { Incident } from '@/lib/domain/diagnosis/incident';
import { IncidentCard } from './incident-card';
import classes from './incident-list.module.css';

/** The gravest first. One that a link names and that is not here is said to be over, or not to be known. */
export function IncidentList({
  incidents,
  of,
  state,
  openId,
  onOpen,
}: {
  incidents: readonly Incident[];
  /** How many there are. */
  of: number;
  state: TriageState;
  openId: string | undefined;
  onOpen: (id: string | undefined) => void;
}) {
  const shown = useSteadyOrder(incidents);
  const isLost = openId !== undefined && incidents.every(({ id }) => id !== openId);
  if (incidents.length === 0 && !isLost) return null;
  return (
    <section className={classes.part}>
      <h2 className={classes.title}>Incidents</h2>
      {isLost ? <LostIncident state={state} onDismiss={() => onOpen(undefined)} /> : null}
      <ol className={classes.list}>
        {shown.map((incident) => (
          <IncidentCard
            key={incident.id}
            incident={incident}
            open={incident.id === openId ? 'yes' : undefined}
            onOpen={(open) => onOpen(open === undefined ? undefined : incident.id)}
          />
        ))}
      </ol>
      {incidents.length < of ? (
        <p className={classes.soft}>
          The gravest {groupDigits(String(incidents.length))} of {groupDigits(String(of))} incidents.
        </p>
      ) : null}
    </section>
  );
}

/** Keeps the order that is on screen, as far as severity allows. */
function useSteadyOrder(incidents: readonly Incident[]): Incident[] {
  const [before, setBefore] = useState<readonly string[]>([]);
  const shown = steadyOrder(incidents, before);
  const ids = shown.map(({ id }) => id);
  if (ids.length !== before.length || ids.some((id, index) => id !== before[index])) setBefore(ids);
  return shown;
}

function LostIncident({ state, onDismiss }: { state: TriageState; onDismiss: () => void }) {
  const words =
    state === 'complete'
      ? 'The incident of this link is over. If some of its requests are still stuck, they stand below.'
      : state === 'syncing'
        ? 'Loading the incident of this link…'
        : 'Whether the incident of this link goes on is not known: not all keepers are synced.';
  return (
    <p className={classes.lost} data-lost={state}>
      {words}{' '}
      <button type="button" className={classes.textButton} onClick={onDismiss}>
        Dismiss
      </button>
    </p>
  );
}
