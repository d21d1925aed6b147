import { Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Icon } from '@/components/ui/icons';
import { Muted, MutedInline, Section } from '@/components/ui/text';
import { useMomentColumn } from '@/components/ui/time-style';
import { ALERT_RULES } from '@/lib/alerts/alert-rules';
import type { AlertsAnswer } from '@/lib/alerts/alerts-answer';
import { formatSpan } from '@/lib/core/time';
import { limitOf } from '@/lib/insights/anomaly';
import type { Anomaly } from '@/lib/insights/insights-response';
import { NOTICE_STATES, WholeBadge } from './notice-state';
import classes from './pending.module.css';

type Rule = (typeof ALERT_RULES)[number];

type Row = { group: string } | { rule: Rule };

const GROUPS = [...new Set(ALERT_RULES.map(({ group }) => group))];
const ROWS: readonly Row[] = GROUPS.flatMap((group): Row[] => [
  { group },
  ...ALERT_RULES.filter((rule) => rule.group === group).map((rule) => ({ rule })),
]);

const NETWORK_EVENT = 'network.';

/** Limit of a rule. A rule of networks has the limit of the anomaly, as on the overview. */
function thresholdOf(rule: Rule): string {
  if ('threshold' in rule) return rule.threshold;
  return limitOf(rule.event.slice(NETWORK_EVENT.length) as Anomaly['kind']) ?? '';
}

const MISSING = {
  keepers: 'no request log service',
  services: 'no service',
  feeds: 'FEEDS not set',
  chains: 'RPC_URLS not set',
} as const;

export function AlertRules({ alerts }: { alerts: AlertsAnswer }) {
  const { format, has, holding, unchecked, notices = [] } = alerts;
  const moments = useMomentColumn();
  const lastOf = (event: string) => notices.find(({ kind }) => kind === event);
  const isOn = ({ needs }: Rule) => format !== undefined && has[needs];
  const countOfRule = ({ event }: Rule) => (holding ?? []).filter((alert) => alert.event === event).length;
  const ruleColumn = ({
    show,
    ...column
  }: Omit<Column<Row>, 'cell'> & { show: (rule: Rule) => ReactNode }): Column<Row> => ({
    ...column,
    cell: (row) => ('rule' in row ? show(row.rule) : null),
  });
  const columns: Column<Row>[] = [
    ruleColumn({
      name: 'Rule',
      kind: 'head',
      show: (rule) => (
        <>
          {rule.name}{' '}
          {countOfRule(rule) === 0 ? null : (
            <Badge color="warn" hiddenFrom="sm">
              {countOfRule(rule)} active
            </Badge>
          )}
          {format === undefined && !has[rule.needs] ? (
            <Muted size="sm">Off: {MISSING[rule.needs]}</Muted>
          ) : null}
        </>
      ),
    }),
    ...(format === undefined
      ? []
      : [ruleColumn({ name: 'Reaches', show: (rule) => <Reaches rule={rule} format={format} has={has} /> })]),
    ruleColumn({
      name: 'Alerts when',
      kind: 'rest',
      show: (rule) => (
        <div className={classes.wrapped}>
          {rule.when}
          <Muted size="sm" hiddenFrom="sm">
            {thresholdOf(rule)}
            {rule.holdMs === 0 ? '' : `, for ${formatSpan(rule.holdMs)}`}
          </Muted>
        </div>
      ),
    }),
    ruleColumn({
      name: 'Threshold',
      isWide: true,
      show: (rule) => <div className={classes.threshold}>{thresholdOf(rule)}</div>,
    }),
    ruleColumn({
      name: 'After',
      isWide: true,
      show: ({ holdMs }) => (holdMs === 0 ? <MutedInline>at once</MutedInline> : formatSpan(holdMs)),
    }),
    {
      ...ruleColumn({
        name: 'Now',
        kind: 'figure',
        isWide: true,
        show: (rule) =>
          holding === undefined
            ? null
            : countOfRule(rule) || (
                <MutedInline>{unchecked.includes(rule.event) ? 'Unknown' : '—'}</MutedInline>
              ),
      }),
      mark: (row) => ({ 'data-tone': 'rule' in row && countOfRule(row.rule) > 0 ? 'warn' : undefined }),
    },
  ];
  if (ALERT_RULES.some(({ event }) => lastOf(event) !== undefined)) {
    columns.push(
      ruleColumn({
        name: moments.header('Last message'),
        isWide: 'md',
        show: ({ event }) => {
          const last = lastOf(event);
          if (last === undefined) return <MutedInline>—</MutedInline>;
          const { label, color } = NOTICE_STATES[last.state];
          return (
            <>
              {moments.text(last.atMs)} <WholeBadge color={color}>{label}</WholeBadge>
            </>
          );
        },
      }),
    );
  }
  const ready = ALERT_RULES.filter(({ needs }) => has[needs]).length;
  const rest = Object.entries(MISSING).flatMap(([needs, reason]) => {
    const names = ALERT_RULES.filter((rule) => rule.needs === needs && !has[rule.needs]).map(
      ({ name }) => name,
    );
    return names.length === 0 ? [] : [`${names.join(', ')} (${reason})`];
  });
  return (
    <Section title="Rules" isRegion>
      <Muted>
        {ready} of {ALERT_RULES.length} {format === undefined ? 'start with the webhook' : 'are on'}
        {rest.length === 0 ? '' : `, not ${rest.join(', ')}`}. At most 10 messages a minute, the rest as one
        digest; acknowledged incidents send none. Thresholds are fixed, except when a request is stuck
        (PENDING_STUCK_S, NETWORKS_FILE) and a feed stale (FEED_STALE_S).
      </Muted>
      <DataTable
        label="Alert rules"
        className={classes.stacked}
        columns={columns}
        rows={ROWS}
        whole={(row) => ('group' in row ? <strong>{row.group}</strong> : undefined)}
        rowProps={(row) =>
          'group' in row
            ? { key: row.group, 'data-period': '' }
            : {
                key: row.rule.event,
                'data-rule-event': row.rule.event,
                'data-on': isOn(row.rule) ? 'yes' : 'no',
                'data-active': countOfRule(row.rule) > 0 ? '' : undefined,
              }
        }
      />
    </Section>
  );
}

const RECEIVERS = { slack: 'Slack webhook', json: 'JSON webhook' } as const;

type ReachesProps = { rule: Rule; format: keyof typeof RECEIVERS } & Pick<AlertsAnswer, 'has'>;

function Reaches({ rule, format, has }: ReachesProps) {
  if (!has[rule.needs]) {
    return (
      <>
        <WholeBadge color="idle">Off</WholeBadge> <MutedInline size="sm">{MISSING[rule.needs]}</MutedInline>
      </>
    );
  }
  return (
    <Text span inherit c="var(--ks-good)">
      <Icon name="check" size={14} /> {RECEIVERS[format]}
    </Text>
  );
}
