'use client';
import { Alert, Button, Group, Text } from '@mantine/core';
import { RETRYING } from '@/lib/core/explain-failure';
import { Icon } from './icons';

type Props = {
  title: string;
  said?: string;
  kept: string;
  todo: string;
  /** Whole seconds until it is tried again by itself; undefined when it is not. */
  retryInS?: number | undefined;
  /** Undefined when asking again can't help now. */
  onRetry?: (() => void) | undefined;
};

/** What failed and whose fault it is, what is still shown, and what to do. The countdown is not announced. */
export function FailureNotice({ title, said, kept, todo, retryInS, onRetry }: Props) {
  const isNamed = todo === RETRYING && retryInS !== undefined;
  return (
    <Alert role="presentation" color="bad" icon={<Icon name="alert" />} p="xs">
      <Group justify="space-between">
        <Text role="alert" flex="1 1 24rem">
          <strong>{title}.</strong>{' '}
          {said === undefined ? null : (
            <>
              <q className="foreign">{said}</q>{' '}
            </>
          )}
          <span>{kept}</span> {isNamed ? null : <span>{todo}</span>}
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
