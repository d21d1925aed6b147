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
import { servicePurpose, serviceRemedy } from '@/lib/core/health';
import {
  type HostReport,
  readServicesReport,
  SERVICE_CHECK_ADDRESS,
  SERVICES_ADDRESS,
  type ServiceReport,
  type ServicesReport,
} from '@/lib/core/service-report';
import {
  budgetText,
  COLUMNS,
  type Fact,
  hostDetails,
  hostFacts,
  hostName,
  hostState,
  keyRemedy,
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
  const onCheck = live && !check.isPending ? () => check.mutate() : undefined;
  return (
    <Stack component="section" gap="sm">
      <Group justify="space-between" gap="xs">
        <Title order={2}>Service health</Title>
        <Text size="xs" c="dimmed" className="num">
          Since {moment(report.startedAtMs)} · Refreshes every 5 s
        </Text>
        <Button onClick={onCheck} disabled={!onCheck} title="Makes one small call to each service">
          {check.isPending ? 'Checking…' : 'Check now'}
        </Button>
      </Group>
      {trouble === undefined ? null : (
        <FailureNotice
          {...explainFailure(trouble)}
          kept={`Updated ${moment(report.atMs)}.`}
          retryInS={undefined}
          onRetry={onCheck}
        />
      )}
      {report.access === 'open' ? (
        <Alert icon={<Icon name="alert" />}>
          Anyone who can reach this dashboard can use it and its API keys (ACCESS=open). Set ACCESS to local,
          password or proxy.
        </Alert>
      ) : null}
      <WideTable label="Services" columns={['Service', ...Object.values(COLUMNS), 'Details']}>
        {report.services.map((service) => (
          <ServiceRows key={service.label} service={service} nowMs={nowMs} onCheck={onCheck} />
        ))}
      </WideTable>
    </Stack>
  );
}

/** A table that scrolls sideways where the page is too narrow for it. */
export function WideTable({
  label,
  columns,
  children,
}: {
  label: string;
  columns: string[];
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by keyboard
    <section className={classes.scroller} aria-label={`${label}, scrollable`} tabIndex={0}>
      <Table className={classes.table} verticalSpacing={6} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((name) => (
              <Table.Th key={name} scope="col">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </section>
  );
}

type RowsProps = { service: ServiceReport; nowMs: number; onCheck: (() => void) | undefined };

/** One host, what to do about its key, and what else is known of it when that is unfolded. */
function ServiceRows({ service, nowMs, onCheck }: RowsProps) {
  const [isOpen, setOpen] = useState(false);
  const { label, host } = service;
  const state = hostState(service);
  const name = hostName(label);
  const icon = <Icon name={SERVICE_ICONS[state]} size={14} />;
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
        {host === undefined ? (
          <>
            <Table.Td>{icon} Not configured</Table.Td>
            <Table.Td colSpan={6}>{serviceRemedy(label, UNCONFIGURED)}</Table.Td>
          </>
        ) : (
          <>
            <HostCells label={label} host={host} nowMs={nowMs} icon={icon} />
            <Table.Td>
              <Button
                size="compact-xs"
                aria-expanded={isOpen}
                aria-label={`Details of ${name}`}
                onClick={() => setOpen(!isOpen)}
              >
                {isOpen ? 'Hide' : 'Show'}
              </Button>
            </Table.Td>
          </>
        )}
      </Table.Tr>
      <KeyRemedy service={service} nowMs={nowMs} onCheck={onCheck} />
      {isOpen && host !== undefined ? (
        <Table.Tr data-details={label}>
          <Table.Td colSpan={8}>
            <List size="sm" className="num foreign">
              {hostDetails(host, nowMs).map((line, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two streams may be the same
                <List.Item key={`${at} ${line}`}>{line}</List.Item>
              ))}
            </List>
          </Table.Td>
        </Table.Tr>
      ) : null}
    </Fragment>
  );
}

const UNCONFIGURED = { configured: false, ok: null, checkedAt: null, latencyMs: null };

type CellsProps = { label: string; host: HostReport; nowMs: number; icon: ReactNode };

function HostCells({ label, host, nowMs, icon }: CellsProps) {
  const facts = hostFacts(label, host, nowMs, useSteadyWords());
  const { used, burst } = host.budget;
  return Object.entries(facts).map(([column, lines]) => (
    <Table.Td key={column} className="num" data-fact={column}>
      {lines.map(({ text, tone, detail }: Fact, at) => (
        <Text key={text} className="foreign" c={tone && `var(--ks-${tone})`} title={detail}>
          {column === 'health' && at === 0 ? <>{icon} </> : null}
          {text}
        </Text>
      ))}
      {column === 'limit' ? (
        <meter
          aria-label="Call budget used"
          title={`Call budget: ${budgetText(host.budget)}`}
          min={0}
          max={burst}
          high={burst * 0.8}
          optimum={0}
          value={used}
        />
      ) : null}
    </Table.Td>
  ));
}

/** What to do about a key that is not accepted, and another try once the service may be called again. */
function KeyRemedy({ service, nowMs, onCheck }: RowsProps) {
  const remedy = keyRemedy(service);
  if (remedy === undefined) return null;
  const waitS = Math.ceil(((service.host?.pause?.untilMs ?? 0) - nowMs) / 1000);
  return (
    <Table.Tr>
      <Table.Td colSpan={8}>
        <Alert title={`${hostName(service.label)}: ${remedy.title}`}>
          <List type="ordered" size="sm">
            {remedy.steps.map((step) => (
              <List.Item key={step}>{step}</List.Item>
            ))}
          </List>
          <Button mt="xs" size="compact-xs" disabled={!onCheck || waitS > 0} onClick={onCheck}>
            {waitS > 0 ? `Try again in ${waitS} s` : 'Try again'}
          </Button>
        </Alert>
      </Table.Td>
    </Table.Tr>
  );
}
