'use client';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { useEffect, useId, useRef } from 'react';
import { Icon } from '@/components/ui/icons';
import card from '@/components/ui/toned-card.module.css';
import { VerdictSeverity } from '@/components/ui/verdict-severity';
import { headlineOf, incidentRowsPath, subjectWords } from '@/lib/client/incident-words';
import type { Incident } from '@/lib/domain/diagnosis/incident';
import { RULE_TITLES, type Verdict } from '@/lib/domain/diagnosis/verdict';
import { Age } from './age';
import { HandOver } from './hand-over';
import classes from './incident-card.module.css';
import { IncidentWatch } from './incident-watch';
import { useIncidentText, usePendingPlace } from './pending-context';
import { EstimateNote, RuleSentence } from './rule-sentence';

const loadDetails = () => import('./incident-details').then((part) => part.IncidentDetails);
const IncidentDetails = dynamic(loadDetails, {
  ssr: false,
  loading: () => <p className={classes.loading}>Loading the evidence…</p>,
});

/** One incident: what, how much, since when, why; below it, when it is opened, all that it rests on. */
export function IncidentCard({
  incident,
  open,
  onOpen,
}: {
  incident: Incident;
  open: 'yes' | undefined;
  onOpen: (open: 'yes' | undefined) => void;
}) {
  const detailsId = useId();
  const element = useRef<HTMLLIElement>(null);
  useSeenWhenLinked(element, open);
  const text = useIncidentText();
  const headline = headlineOf(incident, text);
  return (
    <li
      ref={element}
      className={`${card.card} ${card.stack} ${classes.card}`}
      data-incident={incident.id}
      data-rule={incident.rule}
      data-severity={incident.severity}
      data-network={incident.networkId}
      data-open={open}
    >
      <div className={card.head}>
        <VerdictSeverity severity={incident.severity} />
        <h3 className={classes.headline}>
          <button
            type="button"
            className={card.opener}
            aria-expanded={open === 'yes'}
            aria-controls={open === 'yes' ? detailsId : undefined}
            onPointerEnter={() => void loadDetails()}
            onClick={() => onOpen(open === 'yes' ? undefined : 'yes')}
          >
            <span className="foreign">{headline}</span>
            <Icon name="down" size={14} />
          </button>
        </h3>
        <span className={classes.age}>
          <Age sinceMs={incident.sinceMs} />
        </span>
      </div>
      <Why incident={incident} />
      <div className={classes.actions}>
        {incident.size === 0 ? null : (
          <Link href={incidentRowsPath(incident)} prefetch={false}>
            In the request table
          </Link>
        )}
        <IncidentWatch incident={incident} headline={headline} />
        <HandOver id={incident.id} headline={headline} />
      </div>
      {open === 'yes' ? (
        <div id={detailsId} className={card.details}>
          <IncidentDetails incident={incident} />
        </div>
      ) : null}
    </li>
  );
}

/** The rule that explains most, what it says, and what else holds. */
function Why({ incident }: { incident: Incident }) {
  const { several } = usePendingPlace();
  const [lead, ...others] = incident.verdicts;
  const subject = subjectWords(incident.subject);
  return (
    <div className={classes.why}>
      <p>
        <RuleSentence rule={incident.rule} sentence={lead?.headline} />
        <EstimateNote verdict={lead} />
      </p>
      <p className={classes.facts}>
        {several === 'yes' ? <span>Keeper {incident.keeper}</span> : null}
        {subject === undefined ? null : (
          <span>
            {subject.label} <bdi className="mono">{subject.value}</bdi>
          </span>
        )}
        {others.length === 0 ? null : <Besides verdicts={others} />}
      </p>
    </div>
  );
}

function Besides({ verdicts }: { verdicts: readonly Verdict[] }) {
  return <span>Besides: {verdicts.map(({ rule }) => `${RULE_TITLES[rule]} (${rule})`).join(', ')}</span>;
}

/** A link that opens an incident shows it: once, when the page is first drawn. */
function useSeenWhenLinked(element: { readonly current: HTMLElement | null }, open: 'yes' | undefined): void {
  const linked = useRef(open);
  useEffect(() => {
    if (linked.current === 'yes') element.current?.scrollIntoView({ block: 'nearest' });
    linked.current = undefined;
  }, [element]);
}
