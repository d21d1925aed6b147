'use client';
import { Text } from '@mantine/core';
import { useNow } from '@/components/ui/clock';
import { Icon } from '@/components/ui/icons';
import { useMomentWords } from '@/components/ui/time-style';
import { formatSpan } from '@/lib/core/time';
import { useStream } from '@/lib/feeds/client/hooks';
import classes from './feeds.module.css';
import { connectionState, streamWords } from './stream-words';

const ICONS = { good: 'check', wait: 'clock', bad: 'alert', idle: 'dash' } as const;

/** The live connection, always in the same place: a word, what it means, and when the next attempt is made. */
export function StreamStatus({ writtenAtMs }: { writtenAtMs: number }) {
  const { skewMs, host, link } = useStream();
  const nowMs = useNow(writtenAtMs);
  const { tone, word, sentence, retryAtMs } = streamWords(link, nowMs, useMomentWords());
  const leftMs = (retryAtMs ?? 0) - nowMs;
  return (
    <div className={classes.status} data-connection={connectionState(link)}>
      <p role="status">
        <Text component="span" fw={650} c={`var(--ks-${tone})`}>
          <Icon name={ICONS[tone]} size={14} /> {word}
        </Text>{' '}
        <span>{sentence}</span>
      </p>
      {retryAtMs === undefined ? null : (
        // Outside of the status, or it would be read aloud every second.
        <p className="num">{leftMs <= 0 ? 'Retrying now.' : `Retrying in ${formatSpan(leftMs + 999)}.`}</p>
      )}
      {host === 'upgraded' ? <p>Second price host: the first is unavailable.</p> : null}
      {skewMs === 0 ? null : (
        <p>
          Publish times run {formatSpan(Math.abs(skewMs))} {skewMs > 0 ? 'behind' : 'ahead of'} the clock of
          this computer; ages are corrected by that.
        </p>
      )}
    </div>
  );
}
