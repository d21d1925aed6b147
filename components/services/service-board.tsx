'use client';
import { Alert, Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import { useNow } from '@/components/ui/clock';
import { CopyButton } from '@/components/ui/copy-button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { FailureNotice } from '@/components/ui/failure-notice';
import { Icon, type IconName } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useLive } from '@/components/ui/live-controls';
import { PAGES } from '@/components/ui/pages';
import { Muted, SmallButton } from '@/components/ui/text';
import { useSteadyWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { AnswerFailed, getAnswer, pollEvery, postForAnswer } from '@/lib/core/gateway';
import { failureWord, serviceLabel, serviceTerms } from '@/lib/core/health';
import { groupDigits } from '@/lib/core/numbers';
import {
  type HostReport,
  type RecentCall,
  readServicesReport,
  SERVICE_CHECK_ADDRESS,
  SERVICES_ADDRESS,
  type ServiceReport,
  type ServicesReport,
} from '@/lib/core/service-report';
import { HealthStrip, StripLegend } from './health-strip';
import {
  AFFECTED_PAGES,
  briefFigures,
  budgetLeft,
  budgetRefill,
  budgetText,
  COLUMNS,
  errorSpan,
  type Fact,
  type HostState,
  healthyText,
  hostDetails,
  hostState,
  KEY_AND_CLOCK_OK,
  keyRemedy,
  troubleFirst,
} from './service-labels';
import classes from './services.module.css';

const KEY = ['services'];
const POLL_MS = 5_000;
/** A call may queue for 10 s and take 15 s. */
const CHECK_TIMEOUT_MS = 30_000;

/** Polled while the page is visible, which calls no service. */
function useServicesReport(first: ServicesReport) {
  const client = useQueryClient();
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => getAnswer(SERVICES_ADDRESS, readServicesReport, signal),
    initialData: first,
    initialDataUpdatedAt: 0,
    staleTime: POLL_MS,
    refetchInterval: pollEvery(POLL_MS),
  });
  const check = useMutation({
    mutationFn: () => postForAnswer(SERVICE_CHECK_ADDRESS, readServicesReport, CHECK_TIMEOUT_MS),
    onSuccess: async (report) => {
      // A poll that began before the check must not overwrite its result.
      await client.cancelQueries({ queryKey: KEY });
      client.setQueryData(KEY, report);
    },
  });
  const failed = error ?? check.error;
  // The browser's clock may differ from the server's.
  const now = useNow();
  const nowMs = data.atMs + (dataUpdatedAt === 0 ? 0 : Math.max(0, now - dataUpdatedAt));
  return { report: data, trouble: failed instanceof AnswerFailed ? failed.failure : undefined, nowMs, check };
}

/** `isIndexLost`: a restart loses the request index. */
type BoardProps = { first: ServicesReport; isIndexLost: boolean };

export function ServiceBoard({ first, isIndexLost }: BoardProps) {
  const { report, trouble, nowMs, check } = useServicesReport(first);
  const moment = useSteadyWords();
  const live = useLive();
  const onCheck = live && !check.isPending ? () => check.mutate() : undefined;
  return (
    <Stack component="section" gap="sm">
      <Group justify="space-between">
        <Title order={1}>Services</Title>
        <Button onClick={onCheck} disabled={!onCheck} title="Makes one small call to each service">
          {check.isPending ? 'Checking…' : 'Check now'}
        </Button>
      </Group>
      <Verdict services={report.services} nowMs={nowMs} isIndexLost={isIndexLost}>
        Server started {moment(report.startedAtMs)} · Refreshes every 5 s
      </Verdict>
      {trouble === undefined ? null : (
        <FailureNotice
          {...explainFailure(trouble)}
          shown={`Updated ${moment(report.atMs)}.`}
          onRetry={onCheck}
        />
      )}
      {report.access === 'open' ? (
        <Alert icon={<Icon name="alert" />}>
          Anyone who can reach this dashboard can use it and its API keys (ACCESS=open). Set ACCESS to local,
          password or proxy.
        </Alert>
      ) : null}
      <Services report={report} nowMs={nowMs} onCheck={onCheck} />
      <StripLegend {...report} />
    </Stack>
  );
}

type VerdictProps = {
  services: readonly ServiceReport[];
  nowMs: number;
  isIndexLost: boolean;
  children: ReactNode;
};

/** The headline of a status page: what works, and which pages the failures affect. */
function Verdict({ services, nowMs, isIndexLost, children }: VerdictProps) {
  const inState = (state: HostState) => services.filter((service) => hostState(service) === state);
  const names = (some: readonly ServiceReport[]) => some.map(({ label }) => serviceLabel(label)).join(', ');
  const failing = inState('failing');
  const slow = inState('slow');
  const healthy = inState('ok').length;
  const used = services.length - inState('unconfigured').length;
  const trouble = [...failing, ...slow];
  const troubleText = [
    ...(failing.length === 0 ? [] : [`Failing: ${names(failing)}`]),
    ...(slow.length === 0 ? [] : [`Slow: ${names(slow)}`]),
  ].join('. ');
  const [icon, tone, text]: [IconName, string, string] =
    failing.length > 0
      ? ['alert', 'bad', troubleText]
      : slow.length > 0
        ? ['clock', 'wait', troubleText]
        : healthy === used && used > 0
          ? ['check', 'good', healthyText(services, nowMs)]
          : ['dotted', 'idle', `${healthy} of ${used} services checked`];
  return (
    <Group className={classes.verdict} data-tone={tone} gap="0 var(--ks-gap-md)">
      <Text role="status" fw={650} size="lg" c={`var(--ks-${tone})`} data-verdict={tone}>
        <Icon name={icon} size={16} /> {text}
      </Text>
      {trouble.length === 0 ? null : (
        <span>
          Affects <Affected services={trouble} />
        </span>
      )}
      {isIndexLost ? <Text c="var(--ks-warn)">Request index in memory only</Text> : null}
      <Muted size="xs" className="num" ml={{ sm: 'auto' }}>
        {children}
      </Muted>
    </Group>
  );
}

type Props = { nowMs: number; onCheck: (() => void) | undefined };
type ServicesProps = Props & { report: ServicesReport };

function Services({ report, nowMs, onCheck }: ServicesProps) {
  const { services, atMs, startedAtMs } = report;
  const moment = useSteadyWords();
  const strip = ({ host }: ServiceReport) =>
    host && <HealthStrip history={host.history} atMs={atMs} startedAtMs={startedAtMs} moment={moment} />;
  const [open, setOpen] = useState<readonly string[]>([]);
  const toggle = (label: string) =>
    setOpen(open.includes(label) ? open.filter((other) => other !== label) : [...open, label]);
  const facts = factColumns({ nowMs, startedAtMs, strip });
  const details: Column<ServiceReport> = {
    name: 'Details',
    cell: ({ label, host }) =>
      host && (
        <SmallButton
          aria-expanded={open.includes(label)}
          aria-label={`Details of ${serviceLabel(label)}`}
          onClick={() => toggle(label)}
        >
          {open.includes(label) ? 'Hide' : 'Show'}
        </SmallButton>
      ),
  };
  return (
    <DataTable
      label="Services"
      variant="text"
      miw="60rem"
      className={classes.services}
      verticalSpacing={6}
      columns={[
        { name: 'Service', kind: 'head', cell: (service) => <ServiceName service={service} /> },
        ...facts.slice(0, 1),
        { name: 'Affects', isWide: true, cell: (service) => <Affected services={[service]} /> },
        { name: 'Calls over time', isWide: true, mark: () => ({ 'data-fact': 'history' }), cell: strip },
        ...facts.slice(1),
        details,
      ]}
      rows={troubleFirst(services)}
      rowProps={(service) => ({
        key: service.label,
        'data-service': service.label,
        'data-health': hostState(service),
      })}
      below={(service) => {
        const { label, host } = service;
        const remedy = keyRemedy(service);
        if (host === undefined || (!remedy && !open.includes(label))) return undefined;
        return (
          <>
            {remedy && <KeyRemedy service={service} remedy={remedy} nowMs={nowMs} onCheck={onCheck} />}
            {open.includes(label) && (
              <HostDetails service={service} host={host} nowMs={nowMs} facts={facts.slice(1)} />
            )}
          </>
        );
      }}
    />
  );
}

type FactColumnsOptions = Omit<FactsProps, 'service' | 'column'> & {
  strip: (service: ServiceReport) => ReactNode;
};

/** On a phone, the cell of health also has the figures and the strip of calls. */
function factColumns({ nowMs, startedAtMs, strip }: FactColumnsOptions): Column<ServiceReport>[] {
  return Object.entries(COLUMNS).map(([column, [name]]) => ({
    name,
    ...(column === 'errors' ? { hint: errorSpan({ nowMs, startedAtMs }) } : {}),
    isWide: column !== 'health',
    mark: () => ({ 'data-fact': column }),
    cell: (service) => (
      <>
        <Facts
          service={service}
          column={column as keyof typeof COLUMNS}
          nowMs={nowMs}
          startedAtMs={startedAtMs}
        />
        {column === 'health' && service.host !== undefined ? (
          <Stack gap={4} hiddenFrom="sm" mt={2}>
            {/* Its line from the start, so that later figures move nothing. */}
            <Muted size="xs" mih="1lh" className="num" data-brief={service.label}>
              {briefFigures(service.host, { nowMs, startedAtMs })}
            </Muted>
            {strip(service)}
          </Stack>
        ) : null}
      </>
    ),
  }));
}

function ServiceName({ service: { label, host } }: { service: ServiceReport }) {
  const [name, address = ''] = [serviceLabel(label), host?.address];
  return (
    <>
      {name}
      <Muted size="xs" fw={400}>
        {label === 'router:symbols' ? 'List of symbols' : serviceTerms(label).purpose}
      </Muted>
      {host === undefined || name.endsWith(bareAddress(address)) ? null : (
        <Address address={address} of={name} />
      )}
    </>
  );
}

const bareAddress = (address: string) => address.replace(/^https?:\/\//, '');

/** Address on one line, of which the host is cut before the path. */
function Address({ address, of }: { address: string; of: string }) {
  const [host = '', ...path] = bareAddress(address).split('/');
  return (
    <Muted component="div" size="xs" fw={400} className={classes.address} title={address}>
      <code>
        <span>{host}</span>
        <span>{path.map((part) => `/${part}`).join('')}</span>
      </code>
      <CopyButton value={address} label={`Copy address of ${of}`} />
    </Muted>
  );
}

type HostDetailsProps = {
  service: ServiceReport;
  host: HostReport;
  nowMs: number;
  /** Columns that a phone shows here instead. */
  facts: readonly Column<ServiceReport>[];
};

function HostDetails({ service, host, nowMs, facts }: HostDetailsProps) {
  const { label } = service;
  return (
    <>
      <Stack gap={4} hiddenFrom="sm" pb="xs">
        {facts.map(({ name, hint = '', cell }) => (
          <div key={name}>
            <Muted size="xs">
              {name} {hint}
            </Muted>
            {cell(service)}
          </div>
        ))}
      </Stack>
      {host.recent.length > 0 && <RecentCalls host={host} label={label} />}
      <List size="sm" className="num foreign" data-details={label}>
        <List.Item>
          Affects: <Affected services={[service]} />
        </List.Item>
        {hostDetails(host, nowMs).map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two streams may be the same
          <List.Item key={`${at} ${line}`}>{line}</List.Item>
        ))}
      </List>
    </>
  );
}

function Affected({ services }: { services: readonly ServiceReport[] }) {
  const paths = services.flatMap(({ service }) => AFFECTED_PAGES[service]);
  return PAGES.filter(({ href }) => paths.includes(href)).map(({ href, label }, at) => (
    <Fragment key={href}>
      {at > 0 && ', '}
      <Link href={href}>{label}</Link>
    </Fragment>
  ));
}

const CALL_COLUMNS = (moment: (ms: number) => string): Column<RecentCall>[] => [
  { name: 'Time', kind: 'head', cell: ({ atMs }) => moment(atMs) },
  { name: 'Call', cell: ({ route }) => <code>{route}</code> },
  {
    name: 'Outcome',
    cell: ({ outcome, status }) =>
      `${outcome === 'ok' ? 'OK' : failureWord(outcome)}${status ? ` (${status})` : ''}`,
    mark: ({ outcome }) => ({ 'data-tone': outcome === 'ok' ? undefined : 'bad' }),
  },
  { name: 'Duration', kind: 'figure', cell: ({ ms }) => `${groupDigits(Math.round(ms))} ms` },
  { name: 'Size', kind: 'figure', isWide: true, cell: ({ bytes }) => `${groupDigits(bytes)} B` },
];

function RecentCalls({ host, label }: { host: HostReport; label: string }) {
  const moment = useSteadyWords();
  return (
    <DataTable
      label={`Latest calls to ${serviceLabel(label)}`}
      variant="plain"
      hasCards
      className={classes.calls}
      columns={CALL_COLUMNS(moment)}
      rows={host.recent}
      rowProps={(_, at) => ({ key: String(at) })}
    />
  );
}

/** Own shapes, so that colour is not the only difference. */
const SERVICE_ICONS: Record<HostState, IconName> = {
  ok: 'check',
  slow: 'clock',
  failing: 'alert',
  unknown: 'dotted',
  unconfigured: 'dash',
};

type FactsProps = {
  service: ServiceReport;
  column: keyof typeof COLUMNS;
  nowMs: number;
  startedAtMs: number;
};

function Facts({ service, column, nowMs, startedAtMs }: FactsProps) {
  const { label, host } = service;
  const moment = useSteadyWords();
  const isHealth = column === 'health';
  const lines: Fact[] =
    host === undefined
      ? isHealth
        ? [{ text: 'Not configured' }, { text: `Set ${serviceTerms(label).url} in .env.local to use it.` }]
        : []
      : COLUMNS[column]
          [1]({ label, host, nowMs, startedAtMs, moment })
          .map((fact) => (!isHealth && hostState(service) === 'failing' ? ofLastAnswer(fact) : fact));
  return (
    <>
      {lines.map(({ text, tone, detail }, at) => (
        <Text key={text} className="foreign num" c={tone && `var(--ks-${tone})`} title={detail}>
          {isHealth && at === 0 ? <Icon name={SERVICE_ICONS[hostState(service)]} size={14} /> : null}
          {text === KEY_AND_CLOCK_OK ? <Icon name="check" size={14} /> : null}
          {(isHealth && at === 0) || text === KEY_AND_CLOCK_OK ? ' ' : ''}
          {text}
        </Text>
      ))}
      {column === 'limit' && host !== undefined ? (
        <Muted
          size="xs"
          className={`num ${classes.budget}`}
          title={`Call budget: ${budgetText(host.budget)}`}
        >
          <meter
            aria-label="Call budget left"
            min={0}
            max={host.budget.burst}
            low={host.budget.burst * 0.2}
            optimum={host.budget.burst}
            value={host.budget.burst - host.budget.used}
          />
          <span>{budgetLeft(host.budget)}</span>
          <span>{budgetRefill(host.budget)}</span>
        </Muted>
      ) : null}
    </>
  );
}

type RemedyProps = Props & { service: ServiceReport; remedy: NonNullable<ReturnType<typeof keyRemedy>> };

/** The host is failing now, so with its age and without the colour of good news. */
function ofLastAnswer(fact: Fact): Fact {
  const { text, tone, detail } = fact;
  return tone === 'good' && detail !== undefined ? { text: `${text} ${detail}`, detail } : fact;
}

/** The button works once the service may be called. */
function KeyRemedy({ service, remedy, nowMs, onCheck }: RemedyProps) {
  const waitS = Math.ceil(((service.host?.pause?.untilMs ?? 0) - nowMs) / 1000);
  return (
    <Alert title={`${serviceLabel(service.label)}: ${remedy.title}`}>
      <List type="ordered" size="sm">
        {remedy.steps.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
      <SmallButton mt="xs" disabled={!onCheck || waitS > 0} onClick={onCheck}>
        {waitS > 0 ? `Try again in ${waitS} s` : 'Try again'}
      </SmallButton>
    </Alert>
  );
}
