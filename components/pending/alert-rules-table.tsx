import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Icon, type IconName } from '@/components/ui/icons';
import { Muted, MutedInline, Section } from '@/components/ui/text';
import { useMomentColumn } from '@/components/ui/time-style';
import { ALERT_RULES, eventName } from '@/lib/alerts/alert-rules';
import type { AlertsAnswer } from '@/lib/alerts/alerts-answer';
import { groupDigits } from '@/lib/core/numbers';
import { formatSpan } from '@/lib/core/time';
import { anomalyLimit } from '@/lib/insights/anomaly';
import type { Anomaly } from '@/lib/insights/insights-response';
import { NOTICE_STATES, WholeBadge } from './notice-state';
import classes from './pending.module.css';

type Rule = (typeof ALERT_RULES)[number];

type Row = { group: string } | { rule: Rule };

const GROUPS = [...new Set(ALERT_RULES.map(({ group }) => group))];

/** Rules keep their place while they become active. */
const ROWS: readonly Row[] = GROUPS.flatMap((group): Row[] => [
  { group },
  ...ALERT_RULES.filter((rule) => rule.group === group).map((rule) => ({ rule })),
]);

const NETWORK_EVENT = 'network.';

/** Limit of a rule. A rule of networks has the limit of the anomaly, as on the overview. */
function thresholdOf(rule: Rule): string {
  if ('threshold' in rule) return rule.threshold;
  return anomalyLimit(rule.event.slice(NETWORK_EVENT.length) as Anomaly['kind']) ?? '';
}

/** Sentence on the rules that could not be checked. */
export const uncheckedText = (events: readonly string[]) =>
  `Not known yet: ${events.map(eventName).join(', ')}.`;

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
      name: 'State',
      show: (rule) => (
        <RuleState
          active={countOfRule(rule)}
          missing={has[rule.needs] ? undefined : MISSING[rule.needs]}
          isOn={isOn(rule)}
        />
      ),
    }),
    ruleColumn({ name: 'Rule', kind: 'head', show: ({ name }) => name }),
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
      show: (rule) => (
        <div className={classes.threshold}>
          {thresholdOf(rule)}
          {'setting' in rule ? <Muted size="sm">{rule.setting}</Muted> : null}
        </div>
      ),
    }),
    ruleColumn({
      name: 'After',
      isWide: true,
      show: ({ holdMs }) => (holdMs === 0 ? <MutedInline>at once</MutedInline> : formatSpan(holdMs)),
    }),
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
  return (
    <Section title="Rules" isRegion>
      <Muted>
        {format === undefined
          ? `Off until a webhook is set; then ${ready} of ${ALERT_RULES.length} are on.`
          : `${ready} of ${ALERT_RULES.length} are on.`}{' '}
        At most 10 messages a minute, the rest as one digest. Thresholds without a setting are fixed.
        {unchecked.length === 0 ? '' : ` ${uncheckedText(unchecked)}`}
      </Muted>
      <DataTable
        label="Alert rules"
        className={`${classes.stacked} ${classes.rules}`}
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

/** `missing`: the setting without which the rule stays off even with a webhook. */
type RuleStateProps = { active: number; missing: string | undefined; isOn: boolean };

function RuleState({ active, missing, isOn }: RuleStateProps) {
  const activeText = `${groupDigits(active)} active`;
  const [icon, tone, text]: [IconName, string, string] =
    active > 0
      ? ['alert', 'warn', isOn ? activeText : `${activeText}, not sent`]
      : isOn
        ? ['check', 'good', 'On']
        : ['dash', 'text-soft', 'Off'];
  return (
    <>
      <Text span inherit c={`var(--ks-${tone})`} fw={active > 0 ? 600 : undefined}>
        <Icon name={icon} size={14} /> {text}
      </Text>
      {missing === undefined ? null : <MutedInline size="sm">: {missing}</MutedInline>}
    </>
  );
}
