'use client';
import { Text } from '@mantine/core';
import { Icon, type IconName } from '@/components/ui/icons';
import type { Severity } from '@/lib/pending/pending-response';

type Tone = 'good' | 'wait' | 'warn' | 'bad';

const SEVERITIES: Record<Severity, { label: string; icon: IconName; tone: Tone }> = {
  none: { label: 'Passed', icon: 'check', tone: 'good' },
  notice: { label: 'Notice', icon: 'clock', tone: 'wait' },
  warning: { label: 'Warning', icon: 'alert', tone: 'warn' },
  critical: { label: 'Critical', icon: 'cross', tone: 'bad' },
};

export const severityLabel = (severity: Severity) => SEVERITIES[severity].label;

/** Tone of a severity, of which the colour is `var(--ks-TONE)`; the same wherever a severity has a colour. */
export const toneOf = (severity: Severity): Tone => SEVERITIES[severity].tone;

/** Severity as shape, word and colour. */
export function SeverityMark({ severity }: { severity: Severity }) {
  const { label, icon, tone } = SEVERITIES[severity];
  return (
    <Text
      span
      size="sm"
      c={`var(--ks-${tone})`}
      fw={600}
      style={{ whiteSpace: 'nowrap' }}
      data-severity={severity}
    >
      <Icon name={icon} size={13} /> <span data-word="">{label}</span>
    </Text>
  );
}
