import { Paper, type PaperProps, Text } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';

type ToneBoxProps = PaperProps & ComponentPropsWithoutRef<'section'> & { tone: string };

export function ToneBox({ tone, ...props }: ToneBoxProps) {
  return (
    <Paper
      component="section"
      withBorder
      px="md"
      py="xs"
      style={{ borderInlineStart: `4px solid var(--ks-${tone})` }}
      {...props}
    />
  );
}

export function ToneIcon({ tone, icon }: { tone: string; icon: IconName }) {
  return (
    <Text span inherit c={`var(--ks-${tone})`}>
      <Icon name={icon} size={18} />
    </Text>
  );
}
