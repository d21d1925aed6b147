'use client';
import { Group, Stack } from '@mantine/core';
import { CopyButton } from '@/components/ui/copy-button';
import { Muted } from '@/components/ui/text';
import type { AlertsAnswer } from '@/lib/alerts/alerts-answer';
import classes from './pending.module.css';

const SETTINGS = `ALERT_WEBHOOK_URL=https://hooks.example.com/services/…
ALERT_WEBHOOK_FORMAT=slack
ALLOWED_HOSTS=dash.example.com`;

/** Instructions for setting alerts up: the settings, and an example message. */
export function AlertSetup({ alerts: { example } }: { alerts: AlertsAnswer }) {
  return (
    <Stack gap="sm" maw="48rem">
      <ol className={classes.bullets}>
        <li>
          Create an incoming webhook: in Slack under Apps, elsewhere any address that takes a POST of JSON.
        </li>
        <li>
          Add to <code>.env.local</code>, with <code>slack</code> or <code>json</code> as the format:
          <Group gap="xs" align="start" wrap="nowrap" mt={4}>
            <pre>{SETTINGS}</pre>
            <CopyButton value={SETTINGS} label="Copy settings" />
          </Group>
          <Muted>
            The address is a secret: <code>ALERT_WEBHOOK_URL_FILE</code> reads it from a file. Links in
            messages lead to the first host of <code>ALLOWED_HOSTS</code>.
          </Muted>
        </li>
        <li>Start the dashboard again, then press Send test.</li>
      </ol>
      <Stack gap={4}>
        <Muted>
          With Prometheus, load <code>docs/alerts.rules.yml</code> instead: Alertmanager groups, routes and
          escalates, and also notices that the dashboard is down.
        </Muted>
        <details>
          <summary>Example message</summary>
          <pre className="foreign">{example}</pre>
        </details>
      </Stack>
    </Stack>
  );
}
