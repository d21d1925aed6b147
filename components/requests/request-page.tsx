'use client';
import { Alert, Group, Stack, Text, Title } from '@mantine/core';
import type { Route } from 'next';
import { type ReactNode, useEffect, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { NetworksProvider, useNetwork } from '@/components/ui/networks';
import { ErrorText } from '@/components/ui/text';
import { useMoment, useRelative } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { clockSkewSentence } from '@/lib/core/health';
import type { Network } from '@/lib/core/network';
import { clipped, shortenHex } from '@/lib/core/text';
import { lastList } from '@/lib/requests/client/browsing-history';
import { useNetworksOf } from '@/lib/requests/client/use-networks';
import {
  fittingRows,
  NOTHING_RELATED,
  type RequestLocator,
  requestPath,
} from '@/lib/requests/request-address';
import { type ListedRecord, type RequestAnswer, readRequestAnswer } from '@/lib/requests/requests-response';
import { defaultRequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import { IndexStatus } from './index-status';
import classes from './request.module.css';
import { RequestDetails } from './request-details';
import { CopyLink, RequestSection, SectionHeadings } from './request-parts';
import { RequestStepper } from './request-stepper';
import { OthersOfSequence, RequestsOfSequence } from './sequence-requests';
import { useRequest } from './use-request';

type Props = {
  locator: RequestLocator;
  /** Serialized `RequestAnswer` from the server's render. */
  first: string;
  networks: readonly Network[];
};

const EMPTY: RequestAnswer = {
  atMs: 0,
  revision: 0,
  rows: [],
  uncovered: [],
  queried: [],
  index: [],
  clocks: [],
};

export function RequestPage({ locator, first, networks }: Props) {
  const [rendered] = useState(() => {
    const read = readRequestAnswer(first);
    return read.ok ? read.value : EMPTY;
  });
  const { answer = rendered, failure } = useRequest(locator, rendered);
  const allNetworks = useNetworksOf(networks, answer.rows);
  const network = allNetworks.find(({ networkId }) => networkId === locator.networkId);
  const fitting = fittingRows(answer.rows, locator);
  const row = fitting.length === 1 ? fitting[0] : undefined;
  return (
    <NetworksProvider networks={allNetworks}>
      <SectionHeadings value={2}>
        <Stack component="article" gap="md" className={`page ${classes.page}`} data-hints="">
          <Group gap="xs" mih="1.75rem">
            <Breadcrumb networkId={locator.networkId} name={network?.name} sequence={locator.sequence} />
            {row && <RequestStepper record={row} related={answer.related} />}
          </Group>
          <Group component="header" justify="space-between" gap="4px var(--ks-gap-sm)">
            <div>
              <RequestTitle
                locator={locator}
                name={network?.name}
                isShared={row === undefined && answer.rows.length > 1}
              />
              {row && <Origin record={row} />}
            </div>
            <Group gap="xs">
              <IndexStatus
                keepers={row === undefined ? answer.index.map(({ keeper }) => keeper) : [row.keeper]}
                first={answer.index}
                firstAtMs={answer.atMs}
              />
              {row && <CopyLink path={requestPath(row)} />}
            </Group>
          </Group>
          {failure && <Trouble>{explainFailure(failure).title}. Retrying with backoff.</Trouble>}
          {row && <ClockNotice keeper={row.keeper} answer={answer} />}
          {row && <OthersOfSequence rows={answer.rows} shown={row} />}
          {row && answer.uncovered.includes(row.keeper) && (
            <Alert color="wait">
              From the log service: the index of keeper <bdi>{clipped(row.keeper, 60)}</bdi> does not have
              this request yet.
            </Alert>
          )}
          {answer.rows.length > 0 && fitting.length === 0 && (
            <Alert color="odd">No request with this provider and transaction</Alert>
          )}
          {answer.rows.length === 0 && <NotFound locator={locator} answer={answer} />}
          {row && (
            <RequestDetails record={row} related={answer.related ?? NOTHING_RELATED} networks={allNetworks} />
          )}
          {answer.rows.length > 0 && row === undefined && <RequestsOfSequence rows={answer.rows} />}
        </Stack>
      </SectionHeadings>
    </NetworksProvider>
  );
}

const CLOCK_EFFECTS = {
  ahead: 'the request looks younger than it is; its verdict goes by its own clock',
  behind: 'the request looks older than it is; its verdict goes by its own clock',
};

/** Notice that ages are shown by our clock, which may differ much from that of the keeper. */
function ClockNotice({ keeper, answer: { clocks, index } }: { keeper: string; answer: RequestAnswer }) {
  const keeperClocks = clocks.filter((clock) => clock.keeper === keeper);
  const sentence = clockSkewSentence(keeperClocks, CLOCK_EFFECTS, index.length > 1);
  return sentence === undefined ? null : <Text c="var(--ks-wait)">{sentence}</Text>;
}

type BreadcrumbProps = { networkId: string; name: string | undefined; sequence: string };

/** The list has its last filters; without a list, the requests of the network. */
function Breadcrumb({ networkId, name, sequence }: BreadcrumbProps) {
  const [list, setList] = useState('/requests');
  useEffect(() => setList(lastList()), []);
  const ofNetwork = formatRequestsUrl({ ...defaultRequestsView(), networks: [networkId] });
  return (
    <nav aria-label="Breadcrumb">
      <ol className={classes.breadcrumb}>
        <li>
          <Link href={list as Route} title="The table with its last filters">
            Requests
          </Link>
        </li>
        <li>
          <Link href={ofNetwork}>
            <bdi>{clipped(name ?? networkId, 60)}</bdi>
          </Link>
        </li>
        <li aria-current="page" className="num">
          {sequence}
        </li>
      </ol>
    </nav>
  );
}

/** The sender of a request, and its age. */
function Origin({ record: { keeper, sender, createdAt } }: { record: ListedRecord }) {
  const age = useRelative(createdAt.ms);
  const { title } = useMoment(createdAt.ms, createdAt.text);
  return (
    <Group gap="0 var(--ks-gap-xs)" c="dimmed">
      {sender === undefined ? null : (
        <span>
          Sender{' '}
          <Link href={senderPath(keeper, sender)} title={`${sender}: all of its requests`} className="mono">
            {shortenHex(clipped(sender, 100))}
          </Link>{' '}
          <CopyButton value={sender} label="Copy sender" />
        </span>
      )}
      <span title={title}>seen {age}</span>
    </Group>
  );
}

const senderPath = (keeper: string, sender: string) =>
  formatRequestsUrl({
    ...defaultRequestsView(),
    keepers: [keeper],
    senders: [sender],
    time: { kind: 'all' },
  });

type TitleProps = { locator: RequestLocator; name: string | undefined; isShared?: boolean };

function RequestTitle({ locator, name, isShared = false }: TitleProps) {
  return (
    <Title order={1}>
      {isShared ? 'Sequence' : 'Request'} <span className="num">{locator.sequence}</span> on{' '}
      <bdi>{clipped(name ?? locator.networkId, 60)}</bdi>
    </Title>
  );
}

/** Tells where a request was searched for, what may be missing, and where else to look. */
function NotFound({ locator, answer }: { locator: RequestLocator; answer: RequestAnswer }) {
  const network = useNetwork(locator.networkId);
  const keepers = answer.index.map(({ keeper }) => clipped(keeper, 60));
  const failing = answer.queried.filter(({ failure, isPartial }) => failure !== undefined || isPartial);
  const all = { ...defaultRequestsView(), q: locator.sequence, time: { kind: 'all' } as const };
  const isNarrowed = locator.keepers.length > 0 || locator.provider !== undefined || locator.tx !== undefined;
  return (
    <RequestSection title={failing.length === 0 ? 'Not found' : 'Not in the index'}>
      <p>
        {keepers.length === 0 ? (
          'No such keeper is configured.'
        ) : (
          <>
            No request <span className="num">{locator.sequence}</span> on{' '}
            <bdi>{clipped(network.name, 60)}</bdi> (network {locator.networkId}) in the log of{' '}
            {keepers.length === 1 ? 'keeper ' : 'keepers '}
            <bdi>{keepers.join(', ')}</bdi>. New requests appear a few blocks later.
          </>
        )}
      </p>
      {failing.map(({ keeper, failure }) => (
        <Trouble key={keeper}>
          The index of keeper <bdi>{clipped(keeper, 60)}</bdi> is not complete, and its service{' '}
          {failure === undefined ? 'has more matches than it returned' : 'could not be queried'}: the request
          may exist. {failure === undefined ? '' : `${explainFailure(failure, keeper).title}.`}
        </Trouble>
      ))}
      <Group gap="md">
        <Link href={formatRequestsUrl(all)}>Search all networks for {locator.sequence}</Link>
        {isNarrowed ? (
          <Link href={`/requests/${locator.networkId}/${locator.sequence}`}>Search all keepers</Link>
        ) : null}
      </Group>
    </RequestSection>
  );
}

function Trouble({ children }: { children: ReactNode }) {
  return (
    <ErrorText>
      <Icon name="alert" size={14} /> {children}
    </ErrorText>
  );
}

export function RequestPageSkeleton({ locator, networks }: Omit<Props, 'first'>) {
  return (
    <article className={`page ${classes.page}`} aria-busy="true">
      <RequestTitle locator={locator} name={networks[0]?.name} />
      <p>Not in the index yet. Checking the log service…</p>
    </article>
  );
}
