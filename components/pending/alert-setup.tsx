'use client';
import { Group, Paper, SegmentedControl, Stack, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Muted } from '@/components/ui/text';
import type { AlertsAnswer } from '@/lib/alerts/alerts-answer';
import { prettyJson } from '@/lib/requests/pretty-json';
import classes from './pending.module.css';

const SETTINGS = `ALERT_WEBHOOK_URL=https://hooks.example.com/services/…
ALERT_WEBHOOK_FORMAT=slack
ALLOWED_HOSTS=dash.example.com`;

type Props = {
  alerts: AlertsAnswer;
  /** Button of the last step; absent if the page has it elsewhere. */
  test?: ReactNode;
};

/** Instructions for setting alerts up, and an example message beside them. */
export function AlertSetup({ alerts, test }: Props) {
  return (
    <div className={classes.halves}>
      <Paper withBorder p="md" component={Stack} gap="sm">
        <ol className={classes.steps}>
          <li>
            <strong>Create an incoming webhook</strong> in Slack, or take any address that accepts a POST of
            JSON.
          </li>
          <li>
            <strong>Add it to</strong> <code>.env.local</code>, with <code>slack</code> or <code>json</code>{' '}
            as the format:
            <Group gap="xs" align="start" wrap="nowrap" mt={4}>
              <pre>{SETTINGS}</pre>
              <CopyButton value={SETTINGS} label="Copy settings" />
            </Group>
            <Muted size="sm">
              <code>ALERT_WEBHOOK_URL_FILE</code> reads the address, which is a secret, from a file. Links in
              messages lead to the first of <code>ALLOWED_HOSTS</code>.
            </Muted>
          </li>
          <li>
            <strong>Restart</strong> the dashboard.
          </li>
          <li>
            <strong>Send a test.</strong> {test}
          </li>
        </ol>
        <Muted size="sm">
          With Prometheus, load <code>docs/alerts.rules.yml</code> instead: Alertmanager routes and escalates,
          and notices that the dashboard is down.
        </Muted>
      </Paper>
      <Example alerts={alerts} />
    </div>
  );
}

type Format = NonNullable<AlertsAnswer['format']>;

const FORMATS: { value: Format; label: string }[] = [
  { value: 'json', label: 'JSON' },
  { value: 'slack', label: 'Slack' },
];

/** Message of the open incident, otherwise of an invented one, in the format of the webhook or a chosen one. */
function Example({ alerts: { format = 'json', example } }: Pick<Props, 'alerts'>) {
  const [chosen, choose] = useState<Format>(format);
  const { text } = JSON.parse(example.slack) as { text: string };
  return (
    <Paper withBorder p="md" component={Stack} gap="xs">
      <Group justify="space-between" gap="xs">
        <div>
          <Title order={3} size="md">
            Example message
          </Title>
          <Muted size="sm">
            {example.isReal
              ? 'As it would be sent for the most severe open incident'
              : 'Of an invented incident'}
          </Muted>
        </div>
        <SegmentedControl
          aria-label="Format of the example"
          data={FORMATS}
          value={chosen}
          onChange={(value) => choose(value as Format)}
        />
      </Group>
      <pre className="foreign">{chosen === 'slack' ? text : prettyJson(example.json)}</pre>
    </Paper>
  );
}
