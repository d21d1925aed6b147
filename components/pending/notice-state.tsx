import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SentNotice } from '@/lib/alerts/alerts-answer';

export const NOTICE_STATES: Record<SentNotice['state'], { label: string; color: string }> = {
  waiting: { label: 'Waiting', color: 'wait' },
  sent: { label: 'Sent', color: 'good' },
  dropped: { label: 'Acknowledged', color: 'idle' },
  'given-up': { label: 'Not delivered', color: 'bad' },
};

/** A narrow column does not shorten its text. */
export const WholeBadge = ({ color, children }: { color: string; children: ReactNode }) => (
  <Badge miw="max-content" color={color}>
    {children}
  </Badge>
);
