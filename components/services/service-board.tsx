'use client';
import { Alert, Button, Group, List, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import { useNow } from '@/components/ui/clock';
import { FailureNotice } from '@/components/ui/failure-notice';
import { Icon } from '@/components/ui/icons';
import { useLive } from '@/components/ui/live-controls';
import { useSteadyWords } from '@/components/ui/time-style';
import { SERVICE_ICONS } from '@/components/ui/use-health';
import { explainFailure } from '@/lib/core/explain-failure';
import { AnswerFailed, getAnswer, postForAnswer } from '@/lib/core/gateway';
import { failureWord, servicePurpose, serviceRemedy } from '@/lib/core/health';
import { groupDigits } from '@/lib/core/numbers';
import {
  type HostReport,
  readServicesReport,
  SERVICE_CHECK_ADDRESS,
  SERVICES_ADDRESS,
  type ServiceReport,
  type ServicesReport,
  type TroubleReport,
} from '@/lib/core/service-report';
import { clipped } from '@/lib/core/text';
import { formatAge } from '@/lib/core/time';
import {
  budgetText,
  checkFact,
  clockFact,
  type Fact,
  healthFact,
  hostName,
  hostState,
  keyFact,
  keyRemedy,
  keyVerdict,
  latencyFact,
  pagesStreamFact,
  rateLimitFact,
  streamEndsText,
  streamText,
} from './service-labels';
import classes from './services.module.css';

const KEY = ['services'];
const POLL_MS = 5_000;
/** A call may wait 10 s for its turn and take 15 s. */
const CHECK_PATIENCE_MS = 30_000;

/** The report from what the server rendered on, asked for again while the page can be seen. No service is called for it. */
function useServicesReport(first: ServicesReport) {
  const client = useQueryClient();
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => getAnswer(SERVICES_ADDRESS, readServicesReport, signal),
    initialData: first,
    initialDataUpdatedAt: 0,
    staleTime: POLL_MS,
    refetchInterval: POLL_MS,
  });
  const check = useMutation({
    mutationFn: () => postForAnswer(SERVICE_CHECK_ADDRESS, readServicesReport, CHECK_PATIENCE_MS),
    onSuccess: async (report) => {
      // An answer from before the check must not take the place of this one.
      await client.cancelQueries({ queryKey: KEY });
      client.setQueryData(KEY, report);
    },
  });
  const failed = error ?? check.error;
  // The clock of this computer may be another one than the server's.
  const now = useNow(first.atMs);
  const nowMs = data.atMs + (dataUpdatedAt === 0 ? 0 : Math.max(0, now - dataUpdatedAt));
  return { report: data, trouble: failed instanceof AnswerFailed ? failed.failure : undefined, nowMs, check };
}

/** Every service and host: key, calls, limits, budget, and streams, as our own server has met them. */
export function ServiceBoard({ first }: { first: ServicesReport }) {
  const { report, trouble, nowMs, check } = useServicesReport(first);
  const moment = useSteadyWords();
  const live = useLive();
  return (
    <Stack component="section" gap="sm">
      <Group justify="space-between" gap="xs">
        <Title order={2}>Service health</Title>
        <Text size="xs" c="dimmed" className="num">
          Since {moment(report.startedAtMs)} · Refreshes every 5 s
        </Text>
        <Button
          onClick={() => check.mutate()}
          disabled={!live || check.isPending}
          title="Asks each service one small question; nothing else on this page calls a service"
        >
          {check.isPending ? 'Checking…' : 'Check now'}
        </Button>
      </Group>
      {trouble === undefined ? null : (
        <FailureNotice
          {...explainFailure(trouble)}
          kept={`Updated ${moment(report.atMs)}.`}
          retryInS={undefined}
          onRetry={undefined}
        />
      )}
      {report.access === 'open' ? (
        <Alert icon={<Icon name="alert" />}>
          Anyone who can reach this dashboard can use it and the keys behind it (ACCESS=open). Set ACCESS to
          local, password or proxy to change that.
        </Alert>
      ) : null}
      <Scroller label="Services, scrollable">
        <Table
          className={classes.table}
          verticalSpacing={6}
          opacity={trouble === undefined ? 1 : 0.75}
          aria-label="Services"
        >
          <Table.Thead>
            <Table.Tr>
              {COLUMNS.map((name) => (
                <Table.Th key={name} scope="col">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {report.services.map((service) => (
              <ServiceRows key={service.label} service={service} nowMs={nowMs} />
            ))}
          </Table.Tbody>
        </Table>
      </Scroller>
    </Stack>
  );
}

const COLUMNS = ['Service', 'Health', 'API key', 'Latency', 'Errors', 'Rate limit', 'Clock', 'Details'];

export function Scroller({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by keyboard
    <section className={classes.scroller} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

type Shown = { service: ServiceReport; nowMs: number };

/** One host, what to do about its key, and what else is known of it when that is unfolded. */
function ServiceRows({ service, nowMs }: Shown) {
  const [isOpen, setOpen] = useState(false);
  const { label, host } = service;
  const state = hostState(service);
  const remedy = host && keyRemedy(service.service, host);
  const name = hostName(label);
  return (
    <Fragment>
      <Table.Tr data-service={label} data-health={state}>
        <Table.Th scope="row">
          {name}
          <Text size="xs" c="dimmed" fw={400}>
            {label === 'router:symbols' ? 'List of symbols' : servicePurpose(label)}{' '}
            <code>{host?.address}</code>
          </Text>
        </Table.Th>
        <Cell of="health">
          <FactText fact={healthFact(service, nowMs)}>
            <Icon name={SERVICE_ICONS[state]} size={14} />{' '}
          </FactText>
          {host === undefined ? null : <FactText fact={checkFact(host, nowMs)} />}
        </Cell>
        {host === undefined ? (
          <Table.Td colSpan={COLUMNS.length - 2}>{serviceRemedy(label, UNCONFIGURED)}</Table.Td>
        ) : (
          <HostCells label={label} host={host} nowMs={nowMs}>
            <Button
              size="compact-xs"
              aria-expanded={isOpen}
              aria-label={`Details of ${name}`}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? 'Hide' : 'Show'}
            </Button>
          </HostCells>
        )}
      </Table.Tr>
      {remedy === undefined ? null : (
        <Table.Tr>
          <Table.Td colSpan={COLUMNS.length}>
            <Alert title={`${name}: ${remedy.title}`}>
              <List type="ordered" size="sm">
                {remedy.steps.map((step) => (
                  <List.Item key={step}>{step}</List.Item>
                ))}
              </List>
            </Alert>
          </Table.Td>
        </Table.Tr>
      )}
      {isOpen && host !== undefined ? (
        <Table.Tr data-details={label}>
          <Table.Td colSpan={COLUMNS.length}>
            <HostDetails service={service} host={host} nowMs={nowMs} />
          </Table.Td>
        </Table.Tr>
      ) : null}
    </Fragment>
  );
}

const UNCONFIGURED = { configured: false, ok: null, checkedAt: null, latencyMs: null };

function HostCells({
  label,
  host,
  nowMs,
  children,
}: {
  label: string;
  host: HostReport;
  nowMs: number;
  children: ReactNode;
}) {
  const moment = useSteadyWords();
  const { failures, heldBack, sent } = host.calls;
  const sum = (list: readonly TroubleReport[]) => list.reduce((total, { count }) => total + count, 0);
  const blocked = sum(heldBack);
  return (
    <>
      <Cell of="key">
        <FactText fact={keyFact(host.key, moment)} />
        <FactText fact={keyVerdict(label, host, nowMs)} />
      </Cell>
      <Cell of="latency">
        <FactText fact={latencyFact(host) ?? { text: 'No call yet' }} />
      </Cell>
      <Cell of="errors">
        <p>
          {groupDigits(String(sum(failures)))} of {groupDigits(String(sent))}
        </p>
        {blocked === 0 ? null : <p>{groupDigits(String(blocked))} blocked</p>}
      </Cell>
      <Cell of="limit">
        <FactText fact={rateLimitFact(host, nowMs)} />
        <Budget budget={host.budget} />
      </Cell>
      <Cell of="clock">
        <FactText fact={clockFact(host, nowMs, moment)} />
      </Cell>
      <Table.Td>{children}</Table.Td>
    </>
  );
}

function Budget({ budget }: { budget: HostReport['budget'] }) {
  const { used, burst } = budget;
  return (
    <meter
      aria-label="Call budget used"
      title={`Call budget: ${budgetText(budget)}`}
      min={0}
      max={burst}
      high={burst * 0.8}
      optimum={0}
      value={used}
    />
  );
}

function Cell({ of, children }: { of: string; children: ReactNode }) {
  return (
    <Table.Td className="num" data-fact={of}>
      {children}
    </Table.Td>
  );
}

function FactText({ fact, children }: { fact: Fact | undefined; children?: ReactNode }) {
  if (fact === undefined) return null;
  const { text, tone, detail } = fact;
  return (
    <Text
      className="foreign"
      c={tone && `var(--ks-${tone})`}
      title={detail}
      style={{ overflowWrap: 'anywhere' }}
    >
      {children}
      {text}
    </Text>
  );
}

/** Streams of many programs would bury the rest. */
const MOST_STREAMS = 8;

function HostDetails({ service, host, nowMs }: Shown & { host: HostReport }) {
  const { streams, pagesStream, budget } = host;
  const { failures, heldBack } = host.calls;
  const more = streams.open.length - MOST_STREAMS;
  return (
    <ul className={`num ${classes.list}`}>
      <li>Call budget: {budgetText(budget)}</li>
      {service.service !== 'updates' && service.service !== 'upgraded' ? null : (
        <>
          {pagesStream === undefined ? null : (
            <li>Dashboard stream: {pagesStreamFact(pagesStream, nowMs).text}</li>
          )}
          {streams.open.slice(0, MOST_STREAMS).map((stream) => (
            <li key={`${stream.openedAtMs} ${stream.feeds}`}>Stream: {streamText(stream, nowMs)}</li>
          ))}
          {more > 0 ? <li>{more} more streams</li> : null}
          <li>Streams: {streamEndsText(streams, nowMs)}</li>
        </>
      )}
      {failures.map((trouble) => (
        <Trouble key={trouble.kind} trouble={trouble} isBlocked={false} nowMs={nowMs} />
      ))}
      {heldBack.map((trouble) => (
        <Trouble key={`blocked ${trouble.kind}`} trouble={trouble} isBlocked nowMs={nowMs} />
      ))}
    </ul>
  );
}

/** What went wrong since the start: how often, when last, and how it was put. */
function Trouble({
  trouble: { kind, count, lastAtMs, lastDetail, lastStatus },
  isBlocked,
  nowMs,
}: {
  trouble: TroubleReport;
  /** Calls that our own server did not make. */
  isBlocked: boolean;
  nowMs: number;
}) {
  const times = `${groupDigits(String(count))} ${count === 1 ? 'call' : 'calls'}${isBlocked ? ' blocked' : ''}`;
  const status = lastStatus === undefined || isBlocked ? '' : ` (${lastStatus})`;
  return (
    <li data-trouble={kind}>
      {times}: <strong>{failureWord(kind)}</strong>
      {status}, last {formatAge(nowMs - lastAtMs)} ago: <q className="foreign">{clipped(lastDetail, 300)}</q>
    </li>
  );
}
