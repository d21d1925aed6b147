'use client';
import Link from 'next/link';
import { useMemo, useState } from 'react';
import { useSteadyWords } from '@/components/ui/time-style';
import { type Network, unknownNetwork } from '@/lib/core/network';
import { clipped } from '@/lib/core/text';
import { incidentPath, OVERVIEW_INCIDENTS, type TriageAnswer } from '@/lib/pending/answers';
import { headlineOf, useTriage } from '@/lib/pending/client';
import { RULE_TITLES } from '@/lib/pending/rules/verdict';
import { useNetworksById } from '@/lib/requests/networks';
import { SeverityMark } from './diagnosis';
import classes from './pending.module.css';
import { StandingLine } from './standing';

/** For the overview: is anything stuck? The gravest incidents, each a link to all that is known of it. */
export function StuckIncidents({
  first,
  networks: offered,
}: {
  first: TriageAnswer | undefined;
  networks: readonly Network[];
}) {
  const view = useTriage(first, OVERVIEW_INCIDENTS);
  const moment = useSteadyWords();
  const incidents = view.answer?.incidents;
  const ids = useMemo(() => (incidents ?? []).map(({ networkId }) => networkId), [incidents]);
  const networks = useNetworksById(offered, ids);
  const network = (id: string) => (networks.find((one) => one.networkId === id) ?? unknownNetwork(id)).name;
  // What stands below must not move when the first sync brings incidents: whoever saw it begin keeps the room for them.
  const [room] = useState(
    view.answer === undefined || view.answer.state === 'syncing' ? 'reserved' : undefined,
  );
  return (
    <div className={classes.incidents} data-room={room}>
      <StandingLine view={view} />
      <ul>
        {(incidents ?? []).map((incident) => (
          <li key={incident.id} data-incident={incident.id} data-severity={incident.severity}>
            <SeverityMark severity={incident.severity} />
            <Link href={incidentPath(incident.id)} prefetch={false} className="foreign">
              {clipped(headlineOf(incident, { network, moment }), 200)}
            </Link>
            <span className={classes.soft}>
              {RULE_TITLES[incident.rule]}
              {incident.verdicts[0]?.basis === 'estimate' ? ' (estimate)' : ''}
            </span>
          </li>
        ))}
      </ul>
      {view.answer === undefined || view.answer.standing.kind !== 'stuck' ? null : (
        <Link href="/pending" prefetch={false}>
          View pending
        </Link>
      )}
    </div>
  );
}
