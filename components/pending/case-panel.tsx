'use client';
import { ActionIcon, Anchor, Group, Paper, Stack, Text, Textarea, Title } from '@mantine/core';
import type { Route } from 'next';
import { type ReactNode, useContext, useState } from 'react';
import { Acknowledge, AcknowledgedMark } from '@/components/alerts/acknowledge';
import { CopyButton } from '@/components/ui/copy-button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useNetwork, useNetworkName } from '@/components/ui/networks';
import { ErrorText, Muted, MutedInline, Section, SmallButton } from '@/components/ui/text';
import { WatchToggle } from '@/components/ui/watch-toggle';
import { explainFailure } from '@/lib/core/explain-failure';
import { explorerTxUrl } from '@/lib/core/network';
import { groupDigits } from '@/lib/core/numbers';
import { clipped, shortenHex } from '@/lib/core/text';
import { chainEvidenceAddress } from '@/lib/pending/client/use-chain-evidence';
import { settingsFor, useGroup, useIncident } from '@/lib/pending/client/use-triage';
import { useWatchOf } from '@/lib/pending/client/use-watch';
import { OPEN } from '@/lib/pending/client/watched-states';
import {
  GROUP_PAGE,
  type Incident,
  type IncidentAnswer,
  incidentAddress,
  type Single,
  type TriageAnswer,
} from '@/lib/pending/pending-response';
import { incidentRowsPath } from '@/lib/pending/request-links';
import { groupMeaning, groupTitle, leadLabel, nextOfSingles } from '@/lib/pending/rules/rule-texts';
import type { Followed } from '@/lib/requests/client/use-followed';
import { linkOfKey, locatorOfKey, requestPath } from '@/lib/requests/request-address';
import type { ListedRow } from '@/lib/requests/requests-response';
import { Conclusion, Limitations, RequestDiagnosis, VerdictList } from './diagnosis';
import classes from './pending.module.css';
import { Age, caseDetails, MomentLabel, type PendingCase, SeveralKeepers } from './pending-context';
import { RetryClock } from './retry-clock';

type Props = {
  row: PendingCase;
  settings: TriageAnswer['settings'];
  onClose: () => void;
  onRequest: (key: string) => void;
  /** Returns to the group from which the request was opened. */
  onGroup: (() => void) | undefined;
};

export function CasePanel({ row, settings, onClose, onRequest, onGroup }: Props) {
  return (
    <Stack component="article" gap="md" p="md" className={classes.diagnosis} data-open={row.kind}>
      {row.kind === 'incident' ? (
        <IncidentPart row={row} settings={settings} onClose={onClose} />
      ) : row.kind === 'group' ? (
        <GroupPart row={row} onClose={onClose} onRequest={onRequest} />
      ) : (
        <SinglePart row={row} onClose={onClose} onGroup={onGroup} />
      )}
    </Stack>
  );
}

type Own<Kind extends PendingCase['kind']> = {
  row: Extract<PendingCase, { kind: Kind }>;
  onClose: () => void;
};

function IncidentPart({ row, settings, onClose }: Own<'incident'> & Pick<Props, 'settings'>) {
  const { incident } = row;
  const followed = useIncident(incident.id);
  const { incident: { verdicts } = incident, markdown } = followed.answer ?? {};
  const { networkId, size, sinceMs } = incident;
  return (
    <>
      <PanelHead row={row} onClose={onClose}>
        {size === 0 ? null : (
          <SmallButton component={Link} href={incidentRowsPath(incident)}>
            View requests
          </SmallButton>
        )}
        <Watch row={row} />
        {markdown === undefined ? null : (
          <CopyButton value={markdown} label={`Copy report: ${row.name} as Markdown`} text="Copy report" />
        )}
      </PanelHead>
      <Conclusion
        lead={verdicts[0]}
        verdicts={verdicts}
        chainAddress={chainEvidenceAddress({ id: incident.id })}
        reportAddress={incidentAddress(incident.id)}
      />
      {size === 0 ? null : (
        <Part title={size === 1 ? 'Retry timeline' : 'Retry timeline of the oldest'}>
          <RetryClock sinceMs={sinceMs} settings={settingsFor(settings, networkId)} />
        </Part>
      )}
      <Part title="Evidence">
        <VerdictList verdicts={verdicts} shown={verdicts[0]?.rule} />
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

function GroupPart({ row, onClose, onRequest }: Own<'group'> & Pick<Props, 'onRequest'>) {
  const [from, setFrom] = useState(0);
  const { answer, trouble } = useGroup(row.id, from);
  const group = answer?.group ?? row.group;
  const { rule, size, acknowledged, isSettled, isParked } = group;
  const meaning = groupMeaning(group);
  const lead = { rule, decisive: isSettled };
  const hasChainCauses = answer?.requests.some(({ chain }) => chain?.cause !== undefined) === true;
  return (
    <>
      <PanelHead row={row} isDone={acknowledged === size} onClose={onClose} />
      <Paper withBorder p="sm" className={classes.conclusion} data-conclusion={rule}>
        <MutedInline size="sm">{leadLabel(lead)}</MutedInline>
        <Text size="lg" fw={650}>
          {groupTitle(group)}
        </Text>
        {meaning === undefined ? null : <p>{meaning}.</p>}
        {isParked ? <Muted>Older than a day: parked, and not counted as stuck.</Muted> : null}
        <Text mt="xs">
          <strong>{hasChainCauses ? 'Next step, by the log alone:' : 'Next step, for each:'}</strong>{' '}
          {nextOfSingles(group)}.
        </Text>
      </Paper>
      <Part title="Requests">
        {answer === undefined ? (
          <Loading trouble={trouble} />
        ) : (
          <>
            <GroupTable requests={answer.requests} onRequest={onRequest} />
            {size <= GROUP_PAGE ? null : (
              <Group gap="xs">
                <SmallButton disabled={from === 0} onClick={() => setFrom(from - GROUP_PAGE)}>
                  Newer
                </SmallButton>
                <SmallButton disabled={from + GROUP_PAGE >= size} onClick={() => setFrom(from + GROUP_PAGE)}>
                  Older
                </SmallButton>
                <Muted className="num">
                  {groupDigits(from + 1)}–{groupDigits(Math.min(size, from + GROUP_PAGE))} of{' '}
                  {groupDigits(size)}, {groupDigits(Math.max(0, size - from - GROUP_PAGE))} more
                </Muted>
              </Group>
            )}
          </>
        )}
      </Part>
      <Limitations isPending />
    </>
  );
}

type GroupTableProps = Pick<Props, 'onRequest'> & { requests: readonly Single[] };

function GroupTable({ requests, onRequest }: GroupTableProps) {
  const nameOf = useNetworkName();
  const network = ({ networkId }: Single) => clipped(nameOf(networkId), 60);
  const columns: Column<Single>[] = [
    {
      name: 'Request',
      kind: 'head',
      cell: (request) => (
        <Anchor
          component="button"
          className="num"
          aria-label={`Diagnosis of request ${clipped(request.sequence, 40)} on ${network(request)}`}
          onClick={() => onRequest(request.key)}
        >
          {clipped(request.sequence, 40)}
        </Anchor>
      ),
    },
    { name: 'Network', cell: (request) => <bdi>{network(request)}</bdi> },
    {
      name: 'Sender',
      isWide: true,
      cell: ({ sender, key }) => (
        <>
          {sender === undefined ? null : (
            <bdi className="mono" title={clipped(sender, 200)}>
              {shortenHex(sender)}
            </bdi>
          )}{' '}
          <AcknowledgedMark target={{ kind: 'request', id: key }} />
        </>
      ),
    },
    { name: 'Age', kind: 'figure', cell: ({ sinceMs }) => <Age sinceMs={sinceMs} /> },
  ];
  if (requests.some(({ chain }) => chain?.cause !== undefined)) {
    columns.push({
      name: 'On-chain',
      cell: ({ chain }) =>
        chain?.cause && (
          <span title={clipped(chain.cause.headline, 400)}>
            <bdi>{clipped(chain.cause.title, 60)}</bdi>. <bdi>{clipped(chain.cause.next, 200)}</bdi>.
          </span>
        ),
    });
  }
  return (
    <DataTable
      label="Requests of this group"
      variant="plain"
      columns={columns}
      rows={requests}
      rowProps={({ key }) => ({ key, 'data-member': key })}
    />
  );
}

function SinglePart({ row, onClose, onGroup }: Own<'request'> & Pick<Props, 'onGroup'>) {
  const link = linkOfKey(row.id);
  const locator = locatorOfKey(row.id);
  return (
    <>
      <PanelHead row={row} onClose={onClose}>
        {onGroup === undefined ? null : <SmallButton onClick={onGroup}>Back to group</SmallButton>}
        {link === undefined ? null : (
          <SmallButton
            component={Link}
            href={link.href as Route}
            aria-label={`Open page of request ${clipped(link.label, 40)}`}
          >
            Open page
          </SmallButton>
        )}
        <Watch row={row} />
      </PanelHead>
      {locator === undefined ? null : <RequestDiagnosis locator={locator} />}
    </>
  );
}

type HeadProps = { row: PendingCase; isDone?: boolean; onClose: () => void; children?: ReactNode };

function PanelHead({ row, isDone = false, onClose, children }: HeadProps) {
  const hasSeveralKeepers = useContext(SeveralKeepers);
  const { name, target, owner } = row;
  const keeper =
    row.kind === 'group' ? undefined : (caseDetails(row)?.keeper ?? locatorOfKey(row.id)?.keeper);
  const isKeeperSaid = hasSeveralKeepers && keeper !== undefined;
  return (
    <>
      <header className={classes.head}>
        <Title order={3} size="lg" className="foreign">
          {name}
        </Title>
        <Group gap="xs">
          <Acknowledge targets={[target]} what={name} variant="filled" isDone={isDone} />
          {children}
        </Group>
        <ActionIcon aria-label="Close" title="Close (Escape)" onClick={onClose}>
          <Icon name="close" />
        </ActionIcon>
      </header>
      {isKeeperSaid || owner !== undefined ? (
        <Muted>
          {isKeeperSaid ? `Keeper ${keeper}. ` : ''}
          {owner?.label} <bdi className="mono">{owner?.value}</bdi>
        </Muted>
      ) : null}
    </>
  );
}

const Part = (props: { title: string; children: ReactNode }) => <Section order={4} size="md" {...props} />;

function Watch({ row }: { row: Extract<PendingCase, { kind: 'incident' | 'request' }> }) {
  const { id, name } = row;
  const locator = locatorOfKey(id);
  const size = row.kind === 'incident' ? row.incident.size : undefined;
  const pinned =
    size === undefined
      ? { kind: 'request' as const, state: 'pending' }
      : { kind: 'incident' as const, state: OPEN, size, notedSize: size };
  const { keeper = locator?.keeper ?? '', networkId = locator?.networkId ?? '' } = caseDetails(row) ?? {};
  return <WatchToggle what={name} {...useWatchOf({ id, keeper, networkId, ...pinned })} />;
}

/** Loaded when it is unfolded, or at once if the incident has no cause of its own. */
function OldestDiagnosis({ incident: { subject, verdicts, oldestKey } }: { incident: Incident }) {
  const isNeeded = ['rest', 'transaction'].includes(subject.kind) || verdicts[0]?.basis === 'estimate';
  const [isOpen, setOpen] = useState(isNeeded);
  const locator = locatorOfKey(oldestKey ?? '');
  if (locator === undefined) return null;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Diagnosis of the oldest request</summary>
      {isOpen ? <RequestDiagnosis locator={locator} isPart /> : null}
    </details>
  );
}

export function Loading({ trouble }: Pick<Followed<unknown>, 'trouble'>) {
  const { title, nextStep } = trouble ? explainFailure(trouble) : {};
  return title === undefined ? <p>Loading requests…</p> : <ErrorText>{`${title}. ${nextStep}`}</ErrorText>;
}

type RequestsProps = { size: number; followed: Followed<IncidentAnswer> };

function Requests({ size, followed: { answer, trouble } }: RequestsProps) {
  if (answer === undefined) return <Loading trouble={trouble} />;
  const { rows, incident: { size: total } = { size } } = answer;
  const count = groupDigits(total);
  return (
    <Part title="Requests">
      <Muted>
        {rows.length < total
          ? `The oldest ${groupDigits(rows.length)} of ${count}.`
          : `${count} in all, oldest first.`}
      </Muted>
      <ul aria-label="Requests of this incident" style={{ maxHeight: '22rem', overflowY: 'auto' }}>
        {rows.map((row) => (
          <RequestLine key={row.key} row={row} />
        ))}
      </ul>
    </Part>
  );
}

export function RequestLine({ row }: { row: ListedRow }) {
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
      <MomentLabel ms={createdAt.ms} />
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
