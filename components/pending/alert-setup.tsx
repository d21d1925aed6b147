'use client';
import { Box, Group, SegmentedControl, Stack, TextInput, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Muted } from '@/components/ui/text';
import type { AlertsAnswer } from '@/lib/alerts/alerts-answer';
import { PLACEHOLDER_ADDRESS, readAddress, settingsOf } from '@/lib/alerts/webhook-settings';
import { prettyJson } from '@/lib/requests/pretty-json';
import classes from './pending.module.css';

type Props = {
  alerts: AlertsAnswer;
  /** Button of the last step; absent if the page has it elsewhere. */
  test?: ReactNode;
};

export function AlertSetup({ alerts, test }: Props) {
  return (
    <div className={`${classes.halves} ${classes.setup}`}>
      <Steps hasLinks={alerts.origin !== undefined} test={test} />
      <Example alerts={alerts} />
    </div>
  );
}

/** The typed address stays in the browser. */
function Steps({ hasLinks, test }: { hasLinks: boolean; test: ReactNode }) {
  const [typed, setTyped] = useState('');
  const [chosen, choose] = useState<Format>();
  const read = typed.trim() === '' ? undefined : readAddress(typed);
  const error = read !== undefined && 'error' in read ? read.error : undefined;
  const address = read !== undefined && 'address' in read ? read.address : PLACEHOLDER_ADDRESS;
  const format = chosen ?? (read !== undefined && 'format' in read ? read.format : 'slack');
  const { lines, command } = settingsOf(address, format);
  const isReady = address !== PLACEHOLDER_ADDRESS;
  return (
    <Stack gap="sm">
      <ol className={classes.steps}>
        <li>
          <strong>Paste the address</strong> of an incoming webhook of Slack, or of any receiver that accepts
          a POST of JSON.
          <Group gap="xs" align="start" mt={4}>
            <TextInput
              aria-label="Webhook address"
              type="url"
              placeholder={PLACEHOLDER_ADDRESS}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              error={error}
              spellCheck={false}
              autoComplete="off"
              flex="1 1 14rem"
            />
            <FormatChoice label="Format of the webhook" value={format} onChoose={choose} />
          </Group>
          <Muted size="sm">
            It stays in this browser: only the server’s settings decide where alerts go.
          </Muted>
        </li>
        <li>
          <strong>Try it</strong> in a shell on the machine of the dashboard:
          <Copied text={command} label="Copy test command" isReady={isReady} />
        </li>
        <li>
          <strong>Add it to</strong> <code>.env.local</code>:
          <Copied text={lines} label="Copy settings" isReady={isReady} />
          <Muted size="sm">
            The address is a secret: <code>ALERT_WEBHOOK_URL_FILE</code> reads it from a file.
            {hasLinks ? null : (
              <>
                {' '}
                Messages have no links until <code>ALLOWED_HOSTS</code> names a public host.
              </>
            )}
          </Muted>
        </li>
        <li>
          <strong>Restart</strong> the dashboard, and send a test. {test}
        </li>
      </ol>
      <Muted size="sm">
        With Prometheus, load <code>docs/alerts.rules.yml</code> instead: Alertmanager routes and escalates,
        and notices that the dashboard is down.
      </Muted>
    </Stack>
  );
}

type CopiedProps = { text: string; label: string; isReady: boolean };

/** Text with a copy button. Before an address is typed, the text is only an example, without a button. */
function Copied({ text, label, isReady }: CopiedProps) {
  return (
    <Group gap="xs" align="start" wrap="nowrap" mt={4}>
      <pre data-example={isReady ? undefined : ''}>{text}</pre>
      <Box style={{ visibility: isReady ? undefined : 'hidden' }}>
        <CopyButton value={text} label={label} />
      </Box>
    </Group>
  );
}

type Format = NonNullable<AlertsAnswer['format']>;

const FORMATS: { value: Format; label: string }[] = [
  { value: 'slack', label: 'Slack' },
  { value: 'json', label: 'JSON' },
];

type ChoiceProps = { label: string; value: Format; onChoose: (format: Format) => void };

function FormatChoice({ label, value, onChoose }: ChoiceProps) {
  return (
    <SegmentedControl
      aria-label={label}
      data={FORMATS}
      value={value}
      onChange={(chosen) => onChoose(chosen as Format)}
    />
  );
}

/** Example of a message, about the most severe open incident, else an invented one. */
function Example({ alerts: { format = 'slack', example } }: Pick<Props, 'alerts'>) {
  const [chosen, choose] = useState<Format>(format);
  const { text } = JSON.parse(example.slack) as { text: string };
  return (
    <Stack gap="xs">
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
        <FormatChoice label="Format of the example" value={chosen} onChoose={choose} />
      </Group>
      <pre className="foreign">{chosen === 'slack' ? text : prettyJson(example.json)}</pre>
    </Stack>
  );
}
