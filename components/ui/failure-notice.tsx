'use client';
import { Alert, Button, Group, Text } from '@mantine/core';
import { RETRYING } from '@/lib/core/explain-failure';
import { Icon } from './icons';

type Props = {
  title: string;
  quote?: string;
  shown: string;
  nextStep: string;
  /** Undefined if there will be no automatic retry. */
  retryInS?: number | undefined;
  /** Undefined if a retry can't help. */
  onRetry?: (() => void) | undefined;
};

/** Says on which side a failure occurred and which data are still on screen. The countdown is not announced. */
export function FailureNotice({ title, quote, shown, nextStep, retryInS, onRetry }: Props) {
  const isNamed = nextStep === RETRYING && retryInS !== undefined;
  return (
    <Alert role="presentation" color="bad" icon={<Icon name="alert" />} p="xs">
      <Group justify="space-between">
        <Text role="alert" flex="1 1 12rem">
          <strong>{title}.</strong>{' '}
          {quote === undefined ? null : (
            <>
              <q className="foreign">{quote}</q>{' '}
            </>
          )}
          <span>{shown}</span> {isNamed ? null : <span>{nextStep}</span>}
        </Text>
        <Group gap="sm">
          {retryInS === undefined ? null : (
            <span className="num">{retryInS > 0 ? `Retry in ${retryInS} s` : 'Retrying…'}</span>
          )}
          {onRetry === undefined ? null : <Button onClick={onRetry}>Try again</Button>}
        </Group>
      </Group>
    </Alert>
  );
}
