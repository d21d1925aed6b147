'use client';
import { Group, Paper, Text, Title } from '@mantine/core';
import { useId } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import { useSteadyWords } from '@/components/ui/time-style';
import { type ShownStatus, shownStatus, type TriageView } from '@/lib/pending/client';

const LOOKS: Record<ShownStatus['kind'], { icon: IconName; tone: string }> = {
  syncing: { icon: 'dotted', tone: 'idle' },
  stuck: { icon: 'alert', tone: 'bad' },
  calm: { icon: 'check', tone: 'good' },
  unknown: { icon: 'question', tone: 'odd' },
};

/** Is anything stuck? One sentence, and how old it is. */
export function StatusLine({ view }: { view: TriageView }) {
  const { kind, title, detail, checkedAtMs } = shownStatus(view);
  const moment = useSteadyWords();
  const titleId = useId();
  const { icon, tone } = LOOKS[kind];
  return (
    <Paper
      component="section"
      withBorder
      px="md"
      py="xs"
      // Room for two lines of detail: what is below must not move when the words change.
      mih="4.5rem"
      style={{ borderInlineStart: `4px solid var(--ks-${tone})` }}
      data-status={kind}
      aria-labelledby={titleId}
    >
      <Group justify="space-between" gap="xs">
        <div role="status">
          <Title order={2} size="xl" id={titleId}>
            <Text span inherit c={`var(--ks-${tone})`}>
              <Icon name={icon} size={18} />
            </Text>{' '}
            {title}
          </Title>
          <Text c="dimmed">{detail}</Text>
        </div>
        <Text size="sm" c="dimmed" className="num">
          {checkedAtMs === undefined ? 'Not synced yet' : `Synced ${moment(checkedAtMs)}`}
        </Text>
      </Group>
    </Paper>
  );
}
