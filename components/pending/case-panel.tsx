'use client';
import { ActionIcon, Group, Stack, Textarea, Title } from '@mantine/core';
import { type ReactNode, useContext, useState } from 'react';
import { Acknowledge } from '@/components/alerts/acknowledge';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useNetwork } from '@/components/ui/networks';
import { Bad, Section, Soft } from '@/components/ui/text';
import { WatchToggle } from '@/components/ui/watch-toggle';
import { explainFailure } from '@/lib/core/explain-failure';
import { explorerTxUrl } from '@/lib/core/network';
import { groupDigits } from '@/lib/core/numbers';
import { clipped, shortenHex } from '@/lib/core/text';
import type { Incident, IncidentAnswer, TriageAnswer } from '@/lib/pending/answers';
import { incidentRowsPath, settingsFor, useIncident } from '@/lib/pending/client';
import { OPEN, useWatchOf } from '@/lib/pending/watch';
import type { ListedRow } from '@/lib/requests/answers';
import { askedOfKey, linkOfKey, requestPath } from '@/lib/requests/request-address';
import type { Followed } from '@/lib/requests/use-revision';
import { Conclusion, Limitations, RequestDiagnosis, RetryClock, VerdictList } from './diagnosis';
import classes from './pending.module.css';
import { Age, type Case, MomentText, SeveralKeepers } from './pending-context';

type Props = { of: Case; settings: TriageAnswer['settings']; onClose: () => void };

/** What is open beside the table. */
export function CasePanel(props: Props) {
  const { incident, id } = props.of;
  return (
    <Stack
      component="article"
      gap="md"
      p="md"
      className={classes.diagnosis}
      {...{ [incident === undefined ? 'data-open-single' : 'data-open-incident']: id }}
    >
      {incident === undefined ? <SinglePart {...props} /> : <IncidentPart {...props} incident={incident} />}
    </Stack>
  );
}

function IncidentPart({ of, settings, incident, onClose }: Props & { incident: Incident }) {
  const followed = useIncident(incident.id);
  const { incident: { verdicts } = incident, markdown } = followed.answer ?? {};
  const { networkId, size, sinceMs } = incident;
  return (
    <>
      <PanelHead of={of} onClose={onClose}>
        {size === 0 ? null : <Link href={incidentRowsPath(incident)}>View requests</Link>}
        <Watch of={of} />
        {markdown === undefined ? null : (
          <span>
            Report <CopyButton value={markdown} label={`Copy report: ${of.name} as Markdown`} />
          </span>
        )}
      </PanelHead>
      <Conclusion lead={verdicts[0]} verdicts={verdicts} />
      {size === 0 ? null : (
        <Part title={size === 1 ? 'Retry timeline' : 'Retry timeline of the oldest'}>
          <RetryClock sinceMs={sinceMs} settings={settingsFor(settings, networkId)} />
        </Part>
      )}
      <Part title="Evidence">
        <VerdictList verdicts={verdicts} />
      </Part>
      <Limitations isPending={size > 0} />
      {size === 0 ? null : (
        <>
          <OldestDiagnosis incident={incident} />
          <Requests size={size} followed={followed} />
        </>
      )}
      {markdown === undefined ? null : (
        <details>
          <summary>Report as Markdown</summary>
          <Textarea aria-label="Report" rows={12} readOnly value={markdown} />
        </details>
      )}
    </>
  );
}

/** A stuck request that shares no cause with others, with its whole diagnosis. */
function SinglePart({ of, onClose }: Props) {
  const link = linkOfKey(of.id);
  const asked = askedOfKey(of.id);
  return (
    <>
      <PanelHead of={of} onClose={onClose}>
        {link === undefined ? null : (
          <Link href={link.href} aria-label={`Open page of request ${clipped(link.label, 40)}`}>
            Open page
          </Link>
        )}
        <Watch of={of} />
      </PanelHead>
      {asked === undefined ? null : <RequestDiagnosis asked={asked} sinceMs={of.item.sinceMs} />}
    </>
  );
}

type HeadProps = Pick<Props, 'of' | 'onClose'> & { children: ReactNode };

function PanelHead({ of: { name, target, owner, item }, onClose, children }: HeadProps) {
  const hasSeveralKeepers = useContext(SeveralKeepers);
  return (
    <>
      <header>
        <Title order={3} size="lg" className="foreign">
          {name}
        </Title>
        <Group gap="xs">
          {children}
          <Acknowledge targets={[target]} what={name} />
          <ActionIcon ml="auto" aria-label="Close" title="Close (Escape)" onClick={onClose}>
            <Icon name="cross" />
          </ActionIcon>
        </Group>
      </header>
      {hasSeveralKeepers || owner !== undefined ? (
        <Soft>
          {hasSeveralKeepers ? `Keeper ${item.keeper}. ` : ''}
          {owner?.label} <bdi className="mono">{owner?.value}</bdi>
        </Soft>
      ) : null}
    </>
  );
}

const Part = (props: { title: string; children: ReactNode }) => <Section order={4} size="md" {...props} />;

function Watch({ of: { id, name, item, incident } }: { of: Case }) {
  const { keeper, networkId } = item;
  const size = incident?.size;
  const pinned =
    size === undefined
      ? { kind: 'request' as const, state: 'pending' }
      : { kind: 'incident' as const, state: OPEN, size, notedSize: size };
  return <WatchToggle what={name} {...useWatchOf({ id, keeper, networkId, ...pinned })} />;
}

/** What all evidence says of one of them. Asked for when it is unfolded; at once where the incident has no cause of its own. */
function OldestDiagnosis({ incident: { subject, verdicts, oldestKey, sinceMs } }: { incident: Incident }) {
  const isNeeded = ['rest', 'transaction'].includes(subject.kind) || verdicts[0]?.basis === 'estimate';
  const [isOpen, setOpen] = useState(isNeeded);
  const asked = askedOfKey(oldestKey ?? '');
  if (asked === undefined) return null;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Diagnosis of the oldest request</summary>
      {isOpen ? <RequestDiagnosis asked={asked} sinceMs={sinceMs} isPart /> : null}
    </details>
  );
}

type RequestsProps = { size: number; followed: Followed<IncidentAnswer> };

function Requests({ size, followed: { answer, trouble } }: RequestsProps) {
  if (answer === undefined) {
    const { title, todo } = trouble ? explainFailure(trouble) : {};
    return title === undefined ? <p>Loading requests…</p> : <Bad>{`${title}. ${todo}`}</Bad>;
  }
  const { rows, incident: { size: total } = { size } } = answer;
  const count = groupDigits(total);
  return (
    <Part title="Requests">
      <Soft>
        {rows.length < total
          ? `The oldest ${groupDigits(rows.length)} of ${count}.`
          : `${count} in all, oldest first.`}
      </Soft>
      <ul aria-label="Requests of this incident" style={{ maxHeight: '22rem', overflowY: 'auto' }}>
        {rows.map((row) => (
          <RequestLine key={row.key} row={row} />
        ))}
      </ul>
    </Part>
  );
}

function RequestLine({ row }: { row: ListedRow }) {
  const network = useNetwork(row.kind === 'unreadable' ? '' : row.networkId);
  if (row.kind === 'unreadable') return <li>Unreadable row</li>;
  const { sequence, createdAt, sender, requestTxHash: hash } = row;
  const explorer = explorerTxUrl(network, hash);
  return (
    <Group component="li" gap="sm" py={4}>
      <Link href={requestPath(row)} className="num">
        {clipped(sequence, 40)}
      </Link>
      <Age sinceMs={createdAt.ms} />
      <MomentText ms={createdAt.ms} />
      {sender === undefined ? null : (
        <span>
          Sender{' '}
          <bdi className="mono" title={clipped(sender, 200)}>
            {shortenHex(sender)}
          </bdi>
        </span>
      )}
      {hash === undefined ? null : (
        <span>
          {explorer === undefined ? (
            <bdi className="mono">{shortenHex(hash)}</bdi>
          ) : (
            <a
              className="mono"
              href={explorer}
              target="_blank"
              rel="noreferrer noopener"
              aria-label={`Transaction ${shortenHex(hash)} in the block explorer`}
            >
              {shortenHex(hash)}
            </a>
          )}{' '}
          <CopyButton value={hash} label="Copy transaction" />
        </span>
      )}
    </Group>
  );
}
