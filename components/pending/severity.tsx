'use client';
import { Text } from '@mantine/core';
import { Icon, type IconName } from '@/components/ui/icons';
import type { Severity } from '@/lib/pending/pending-response';
import { severityTone } from '@/lib/pending/severity';

const SEVERITIES: Record<Severity, { label: string; icon: IconName }> = {
  none: { label: 'Passed', icon: 'check' },
  notice: { label: 'Notice', icon: 'clock' },
  warning: { label: 'Warning', icon: 'alert' },
  critical: { label: 'Critical', icon: 'cross' },
};

export const severityLabel = (severity: Severity) => SEVERITIES[severity].label;

export function SeverityMark({ severity }: { severity: Severity }) {
  const { label, icon } = SEVERITIES[severity];
  return (
    <Text
      span
      size="sm"
      c={`var(--ks-${severityTone(severity)})`}
      fw={600}
      style={{ whiteSpace: 'nowrap' }}
      data-severity={severity}
    >
      <Icon name={icon} size={13} /> <span data-word="">{label}</span>
    </Text>
  );
}
