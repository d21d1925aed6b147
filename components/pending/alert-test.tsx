'use client';
import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { announce } from '@/components/ui/announce';
import { useLive } from '@/components/ui/live-controls';
import { Muted } from '@/components/ui/text';
import { ALERT_TEST_PATH, type AlertTest, readAlertTest } from '@/lib/alerts/alerts-answer';
import { explainFailure } from '@/lib/core/explain-failure';
import { AnswerFailed, postForAnswer } from '@/lib/core/gateway';
import { groupDigits } from '@/lib/core/numbers';

/** Exceeds the server's own timeout for the receiver. */
const TIMEOUT_MS = 30_000;

type Props = { isOn: boolean; onSent: () => void };

export function SendTest({ isOn, onSent }: Props) {
  const live = useLive();
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () => postForAnswer(ALERT_TEST_PATH, readAlertTest, TIMEOUT_MS),
    networkMode: 'always',
    onSuccess: (answer) => announce(outcomeOf(answer)),
    onSettled: onSent,
  });
  const failed = error instanceof AnswerFailed ? explainFailure(error.failure) : undefined;
  const resultText =
    failed === undefined ? data && outcomeOf(data) : `Test not sent: ${failed.quote ?? failed.title}`;
  const isBad = failed !== undefined || data?.state !== 'sent';
  return (
    <Group gap="xs" display="inline-flex" style={{ flexDirection: isOn ? 'row-reverse' : 'row' }}>
      <Button disabled={!live || !isOn || isPending} onClick={() => mutate()}>
        {isPending ? 'Sending…' : 'Send test'}
      </Button>
      {isOn ? null : <Muted size="sm">Needs ALERT_WEBHOOK_URL</Muted>}
      {resultText === undefined ? null : (
        <Text
          role={isBad ? 'alert' : 'status'}
          c={isBad ? 'var(--ks-bad)' : 'var(--ks-good)'}
          className="foreign"
        >
          {resultText}
        </Text>
      )}
    </Group>
  );
}

/** `Test sent: returned 200 in 84 ms: ok`. */
function outcomeOf({ state, error, status, tookMs, answer }: AlertTest): string {
  const text = answer ? `: ${answer}` : '';
  if (state !== 'sent') return `Test failed: ${error}${text}`;
  const took = tookMs === undefined ? '' : ` in ${groupDigits(tookMs)} ms`;
  return `Test sent: returned ${status}${took}${text}`;
}
