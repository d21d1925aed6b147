'use client';
import { Group, Paper, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
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
export function AlertSetup({ alerts: { example }, test }: Props) {
  return (
    <div className={classes.halves}>
      <Paper withBorder p="md" component={Stack} gap="sm">
        <ol className={classes.bullets}>
          <li>Create an incoming webhook in Slack, or any address that takes a POST of JSON.</li>
          <li>
            Add to <code>.env.local</code>, with <code>slack</code> or <code>json</code> as the format:
            <Group gap="xs" align="start" wrap="nowrap" mt={4}>
              <pre>{SETTINGS}</pre>
              <CopyButton value={SETTINGS} label="Copy settings" />
            </Group>
            <Muted size="sm">
              Secret: <code>ALERT_WEBHOOK_URL_FILE</code> reads the address from a file. Links in messages
              lead to the first of <code>ALLOWED_HOSTS</code>.
            </Muted>
          </li>
          <li>Restart the dashboard.</li>
          <li>Send a test. {test}</li>
        </ol>
        <Muted size="sm">
          With Prometheus, load <code>docs/alerts.rules.yml</code> instead: Alertmanager routes and escalates,
          and notices that the dashboard is down.
        </Muted>
      </Paper>
      <Paper withBorder p="md" component={Stack} gap="xs">
        <Title order={3} size="md">
          Example message
        </Title>
        <pre className="foreign">{prettyJson(example)}</pre>
      </Paper>
    </div>
  );
}
