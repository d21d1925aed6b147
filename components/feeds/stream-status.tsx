'use client';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useNow } from '@/components/ui/clock';
import { Icon } from '@/components/ui/icons';
import { useMomentWords } from '@/components/ui/time-style';
import { formatSpan } from '@/lib/core/time';
import { useStream } from '@/lib/feeds/client/hooks';
import classes from './feeds.module.css';
import { connectionState, streamLabels } from './stream-labels';

const ICONS = { good: 'check', wait: 'clock', bad: 'alert', idle: 'dash' } as const;

/** `Retrying in 12 s.` */
export function retryCountdown(leftMs: number): string {
  return leftMs > 0 ? `Retrying in ${formatSpan(leftMs + 999)}.` : 'Retrying now.';
}

const LATE = { tone: 'wait', word: 'Connected' } as const;

type Props = {
  children?: ReactNode;
  /** True if no feed is current, so that “Live” would contradict their states. */
  isLate?: boolean;
  /** Leaves the word out while prices arrive, because the state of the feed shows it. */
  isSilentIfLive?: boolean;
};

export function StreamStatus({ children, isLate = false, isSilentIfLive = false }: Props) {
  const { skewMs, host, link, hasPrices } = useStream();
  const nowMs = useNow();
  const labels = streamLabels(link, nowMs, useMomentWords(), hasPrices);
  const { sentence } = labels;
  const isUp = labels.tone === 'good';
  const { tone, word } = isUp && isLate ? LATE : labels;
  const isWordless = isSilentIfLive && isUp;
  return (
    <div
      className={classes.status}
      data-connection={connectionState(link)}
      data-long={sentence !== undefined || (isSilentIfLive && !isUp) ? '' : undefined}
      data-empty={isWordless && host !== 'upgraded' && skewMs === 0 ? '' : undefined}
    >
      <p role="status">
        {isWordless ? null : (
          <Text component="span" fw={650} c={`var(--ks-${tone})`}>
            <Icon name={ICONS[tone]} size={14} /> {word}
          </Text>
        )}{' '}
        <span>{sentence}</span>
      </p>{' '}
      {isUp && children}
      {/* Outside the live region, which would announce the countdown every second. */}
      {link.retryAtMs === undefined ? null : <p className="num">{retryCountdown(link.retryAtMs - nowMs)}</p>}{' '}
      {host === 'upgraded' ? <p>Second price host: the first is unavailable.</p> : null}{' '}
      {skewMs === 0 ? null : (
        <p>
          Ages corrected: publish times run {formatSpan(Math.abs(skewMs))}{' '}
          {skewMs > 0 ? 'behind' : 'ahead of'} this computer.
        </p>
      )}
    </div>
  );
}
