'use client';
import Link from 'next/link';
import { useMemo, useState } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import card from '@/components/ui/toned-card.module.css';
import { VerdictSeverity } from '@/components/ui/verdict-severity';
import { clipped } from '@/lib/client/foreign-text';
import { headlineOf } from '@/lib/client/incident-words';
import { useNetworksById } from '@/lib/client/networks';
import { useSteadyWords } from '@/lib/client/time-style';
import { OVERVIEW_INCIDENTS } from '@/lib/client/triage';
import { type ShownStanding, shownStanding } from '@/lib/client/triage-standing';
import { useTriage } from '@/lib/client/use-triage';
import { incidentPath, type TriageAnswer } from '@/lib/contract/codec/triage';
import type { Incident } from '@/lib/domain/diagnosis/incident';
import { RULE_TITLES } from '@/lib/domain/diagnosis/verdict';
import { type Network, unknownNetwork } from '@/lib/domain/network';
import classes from './stuck-incidents.module.css';

const ICONS: Record<ShownStanding['kind'], IconName> = {
  syncing: 'dotted',
  stuck: 'alert',
  calm: 'check',
  unknown: 'question',
};

/** Is anything stuck? The gravest incidents, each a link to all that is known of it. */
export function StuckIncidents({
  first,
  networks: offered,
}: {
  first: TriageAnswer | undefined;
  networks: readonly Network[];
}) {
  const view = useTriage(first, OVERVIEW_INCIDENTS);
  const incidents = view.answer?.incidents ?? [];
  const standing = shownStanding(view);
  const words = useSteadyWords();
  const ids = useMemo(
    () => (view.answer?.incidents ?? []).map(({ networkId }) => networkId),
    [view.answer?.incidents],
  );
  const networks = useNetworksById(offered, ids);
  const { checkedAtMs } = standing;
  const room = useRoom(standing.kind);
  return (
    <div
      className={`${card.card} ${card.stack} ${classes.card}`}
      data-standing={standing.kind}
      data-room={room}
    >
      <div className={classes.head}>
        <p className={classes.title} role="status">
          <Icon name={ICONS[standing.kind]} size={16} />
          <Link href="/pending" prefetch={false}>
            {standing.title}
          </Link>
        </p>
        <p className={`${classes.soft} num`}>
          {standing.detail} {checkedAtMs === undefined ? '' : `Synced ${words(checkedAtMs)}.`}
        </p>
      </div>
      {incidents.length === 0 ? null : (
        <ul className={classes.list}>
          {incidents.map((incident) => (
            <IncidentLine key={incident.id} incident={incident} networks={networks} />
          ))}
        </ul>
      )}
    </div>
  );
}

/** What stands below must not move when the first sync brings incidents: whoever saw it begin keeps the room for them. */
function useRoom(kind: ShownStanding['kind']): 'reserved' | undefined {
  const [room] = useState(kind === 'syncing' ? ('reserved' as const) : undefined);
  return room;
}

function IncidentLine({ incident, networks }: { incident: Incident; networks: readonly Network[] }) {
  const moment = useSteadyWords();
  const network = (id: string) => (networks.find((one) => one.networkId === id) ?? unknownNetwork(id)).name;
  return (
    <li className={classes.line} data-incident={incident.id} data-severity={incident.severity}>
      <span className={classes.severity}>
        <VerdictSeverity severity={incident.severity} />
      </span>
      <Link href={incidentPath(incident.id)} prefetch={false} className="foreign">
        {clipped(headlineOf(incident, { network, moment }), 200)}
      </Link>
      <span className={classes.soft}>
        {RULE_TITLES[incident.rule]}
        {incident.verdicts[0]?.basis === 'estimate' ? ' (estimate)' : ''}
      </span>
    </li>
  );
}
