'use client';
import { Text } from '@mantine/core';
import type { CSSProperties } from 'react';
import { Icon } from '@/components/ui/icons';
import type { AlertPhaseOfFeed } from '@/lib/feeds/client/hooks';

/** A bell that is filled while an alert is raised, so that its shape changes and not only its colour. */
export function AlertBell({ phase }: { phase: AlertPhaseOfFeed }) {
  return (
    <Text
      span
      inherit
      lh={1}
      style={{ '--icon-fill': phase === 'raised' ? 'currentColor' : 'none' } as CSSProperties}
    >
      <Icon name={phase === 'set' ? 'bell-set' : 'bell'} size={14} />
    </Text>
  );
}
