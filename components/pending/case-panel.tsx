'use client';
import { ActionIcon, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import Link from 'next/link';
import { type ReactNode, useState } from 'react';
import { Acknowledge } from '@/components/alerts/acknowledge';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { useSteadyWords } from '@/components/ui/time-style';
import { WatchToggle } from '@/components/ui/watch-toggle';
import { explainFailure } from '@/lib/core/explain-failure';
import { explorerTxUrl } from '@/lib/core/network';
import { groupDigits } from '@/lib/core/numbers';
import { clipped, shortened } from '@/lib/core/text';
import type { Incident, Single } from '@/lib/pending/answers';
import { headlineOf, incidentRowsPath, settingsFor, subjectLabel, useIncident } from '@/lib/pending/client';
import { isWatched, MOST_WATCHED, OPEN, useWatch } from '@/lib/pending/watch';
import type { ListedRow } from '@/lib/requests/listing';
import { linkOfKey, requestOfKey, requestPath } from '@/lib/requests/request-address';
import { NextSteps, RequestDiagnosis, RetryClock, VerdictList } from './diagnosis';
import classes from './pending.module.css';
import { Age, MomentText, usePendingPlace } from './pending-context';

/** What an incident rests on, its requests, and what to do about it. */
export function IncidentPanel({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const { network, settings, hasSeveralKeepers, renderedAtMs } = usePendingPlace();
  const moment = useSteadyWords();
  const { answer } = useIncident(incident.id);
  const { verdicts } = answer?.incident ?? incident;
  const { id, keeper, networkId, subject, size, sinceMs, rule } = incident;
  const headline = headlineOf(incident, { network: (of) => network(of).name, moment });
  const owner = subjectLabel(subject);
  return (
    <Stack component="article" gap="md" p="md" className={classes.panelBody} data-open-incident={id}>
      <PanelHead title={headline} onClose={onClose}>
        {size === 0 ? null : (
          <Link href={incidentRowsPath(incident)} prefetch={false}>
            View requests
          </Link>
        )}
        <Watch
          id={id}
          what={headline}
          pinned={{ kind: 'incident', state: OPEN, size, notedSize: size }}
          of={incident}
        />
        {answer?.markdown === undefined ? null : (
          <span>
            Report <CopyButton value={answer.markdown} label={`Copy report: ${headline} as Markdown`} />
          </span>
        )}
        <Acknowledge targets={[{ kind: 'incident', id }]} what={headline} />
      </PanelHead>
      {hasSeveralKeepers || owner !== undefined ? (
        <Text c="dimmed">
          {hasSeveralKeepers ? `Keeper ${keeper}. ` : ''}
          {owner === undefined ? null : (
            <>
              {owner.label} <bdi className="mono">{owner.value}</bdi>
            </>
          )}
        </Text>
      ) : null}
      {size === 0 ? null : (
        <Section title={size === 1 ? 'Retry clock' : 'Retry clock of the oldest'}>
          <RetryClock sinceMs={sinceMs} atMs={renderedAtMs} settings={settingsFor(settings, networkId)} />
        </Section>
      )}
      <Section title="Evidence">
        <VerdictList verdicts={verdicts} />
      </Section>
      <NextSteps rule={rule} isPending={size > 0} />
      {size === 0 ? null : (
        <>
          <OldestDiagnosis incident={incident} />
          <Requests incident={incident} />
        </>
      )}
      {answer?.markdown === undefined ? null : (
        <details>
          <summary>Report as Markdown</summary>
          <Textarea aria-label="Report" rows={12} readOnly value={answer.markdown} />
        </details>
      )}
    </Stack>
  );
}

/** A stuck request that shares no cause with others, with its whole diagnosis. */
export function SinglePanel({ single, onClose }: { single: Single; onClose: () => void }) {
  const { network, hasSeveralKeepers } = usePendingPlace();
  const { key, keeper, networkId, sequence, sender, sinceMs } = single;
  const name = `request ${clipped(sequence, 40)}`;
  const link = linkOfKey(key);
  const asked = requestOfKey(key);
  return (
    <Stack component="article" gap="md" p="md" className={classes.panelBody} data-open-single={key}>
      <PanelHead title={`${clipped(network(networkId).name, 60)}: ${name}`} onClose={onClose}>
        {link === undefined ? null : (
          <Link href={link.href} prefetch={false} aria-label={`Open page of ${name}`}>
            Open page
          </Link>
        )}
        <Watch
          id={key.replace(/#\d+$/, '')}
          what={name}
          pinned={{ kind: 'request', state: 'pending' }}
          of={single}
        />
        <Acknowledge targets={[{ kind: 'request', id: key }]} what={name} />
      </PanelHead>
      <Text c="dimmed">
        {hasSeveralKeepers ? `Keeper ${keeper}. ` : ''}
        {sender === undefined ? null : (
          <>
            Sender <bdi className="mono">{clipped(sender, 200)}</bdi>
          </>
        )}
      </Text>
      {asked === undefined ? null : <RequestDiagnosis asked={asked} sinceMs={sinceMs} />}
    </Stack>
  );
}

type HeadProps = { title: string; onClose: () => void; children: ReactNode };

function PanelHead({ title, onClose, children }: HeadProps) {
  return (
    <header>
      <Title order={3} size="lg" className="foreign">
        {title}
      </Title>
      <Group gap="xs">
        {children}
        <ActionIcon ml="auto" aria-label="Close" title="Close (Escape)" onClick={onClose}>
          <Icon name="cross" />
        </ActionIcon>
      </Group>
    </header>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack component="section" gap="xs">
      <Title order={4} size="md">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

/** Pins something, for as long as somebody wants to hear of it. */
function Watch({
  id,
  what,
  pinned,
  of: { keeper, networkId },
}: {
  id: string;
  what: string;
  pinned:
    | { kind: 'incident'; state: typeof OPEN; size: number; notedSize: number }
    | { kind: 'request'; state: 'pending' };
  of: Pick<Incident, 'keeper' | 'networkId'>;
}) {
  const { book, watch, unwatch } = useWatch();
  const isOne = isWatched(book, id);
  const isFull = book.watched.length >= MOST_WATCHED;
  const pin = () => watch({ id, keeper, networkId, sinceMs: Date.now(), ...pinned });
  return (
    <WatchToggle
      what={what}
      watched={isOne ? 'yes' : isFull ? 'full' : 'no'}
      onToggle={() => (isOne ? unwatch(id) : void pin())}
    />
  );
}

/** What all evidence says of one of them. Asked for when it is unfolded; at once where the incident has no cause of its own. */
function OldestDiagnosis({ incident: { subject, verdicts, oldestKey, sinceMs } }: { incident: Incident }) {
  const isNeeded = ['rest', 'transaction'].includes(subject.kind) || verdicts[0]?.basis === 'estimate';
  const [isOpen, setOpen] = useState(isNeeded);
  const asked = requestOfKey(oldestKey ?? '');
  if (asked === undefined) return null;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Diagnosis of the oldest request</summary>
      {isOpen ? <RequestDiagnosis asked={asked} sinceMs={sinceMs} /> : null}
    </details>
  );
}

function Requests({ incident: { id, size } }: { incident: Incident }) {
  const { answer, trouble } = useIncident(id);
  if (answer === undefined) {
    const told = trouble && explainFailure(trouble);
    return told === undefined ? (
      <p>Loading requests…</p>
    ) : (
      <Text c="var(--ks-bad)" role="alert">
        {told.title}. {told.todo}
      </Text>
    );
  }
  const { rows, incident } = answer;
  const count = groupDigits(String(incident?.size ?? size));
  return (
    <Section title="Requests">
      <Text c="dimmed">
        {rows.length < (incident?.size ?? size)
          ? `The oldest ${groupDigits(String(rows.length))} of ${count}.`
          : `${count} in all, oldest first.`}
      </Text>
      <ul aria-label="Requests of this incident" style={{ maxHeight: '22rem', overflowY: 'auto' }}>
        {rows.map((row) => (
          <RequestLine key={row.key} row={row} />
        ))}
      </ul>
    </Section>
  );
}

/** A pending request in one line: its page, how old, whose, and its transaction. */
function RequestLine({ row }: { row: ListedRow }) {
  const { network } = usePendingPlace();
  if (row.kind === 'unreadable') return <li>Unreadable row</li>;
  const { sequence, createdAt, sender, requestTxHash: hash, networkId } = row;
  const explorer = explorerTxUrl(network(networkId), hash);
  return (
    <Group component="li" gap="sm" py={4}>
      <Link href={requestPath(row)} prefetch={false} className="num">
        {clipped(sequence, 40)}
      </Link>
      <Age sinceMs={createdAt.ms} />
      <MomentText ms={createdAt.ms} />
      {sender === undefined ? null : (
        <span>
          Sender{' '}
          <bdi className="mono" title={clipped(sender, 200)}>
            {shortened(sender)}
          </bdi>
        </span>
      )}
      {hash === undefined ? null : (
        <span>
          {explorer === undefined ? (
            <bdi className="mono">{shortened(hash)}</bdi>
          ) : (
            <a
              className="mono"
              href={explorer}
              target="_blank"
              rel="noreferrer noopener"
              aria-label={`Transaction ${shortened(hash)} in the block explorer`}
            >
              {shortened(hash)}
            </a>
          )}{' '}
          <CopyButton value={hash} label="Copy transaction" />
        </span>
      )}
    </Group>
  );
}
