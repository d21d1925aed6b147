'use client';
import { Button, Stack, type StackProps, Text, Title, type TitleOrder } from '@mantine/core';
import { useId } from 'react';

export const Muted = Text.withProps({ c: 'dimmed' });
export const MutedInline = Text.withProps({ c: 'dimmed', span: true });
export const ErrorText = Text.withProps({ c: 'var(--ks-bad)', role: 'alert' });
export const SmallButton = Button.withProps({ size: 'compact-xs' });

type SectionProps = Omit<StackProps, 'title'> & {
  title: string;
  order?: TitleOrder;
  size?: string;
  /** A landmark region, named by the title. */
  isRegion?: boolean;
};

export function Section({ title, order = 2, size, isRegion, children, ...stack }: SectionProps) {
  const id = useId();
  return (
    <Stack component="section" gap="xs" aria-labelledby={isRegion ? id : undefined} {...stack}>
      <Title order={order} size={size} id={id}>
        {title}
      </Title>
      {children}
    </Stack>
  );
}
