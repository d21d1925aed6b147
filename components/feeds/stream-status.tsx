'use client';
import { Icon } from '@/components/ui/icons';
import { useNow } from '@/lib/client/clock';
import { useFeedMarks, useStream, useStreamLink } from '@/lib/client/feed-hooks';
import { formatSpan } from '@/lib/client/human-time';
import { useMomentWords } from '@/lib/client/time-style';
import { hostWords, outageWords } from './mark-words';
import classes from './stream-status.module.css';
import { connectionState, streamWords } from './stream-words';

const ICONS = { good: 'check', wait: 'clock', bad: 'alert', idle: 'dash' } as const;

/** The live connection, always in the same place: a word, what it means, and when the next attempt is made. */
export function StreamStatus({ writtenAtMs }: { writtenAtMs: number }) {
  const { skewMs } = useStream();
  const nowMs = useNow(writtenAtMs);
  const link = useStreamLink(writtenAtMs);
  const words = streamWords(link, nowMs, useMomentWords());
  return (
    <div className={classes.status} data-tone={words.tone} data-connection={connectionState(link)}>
      <p role="status" className={classes.line}>
        <span className={classes.word}>
          <Icon name={ICONS[words.tone]} size={14} /> {words.word}
        </span>
        <span className={classes.sentence}>{words.sentence}</span>
      </p>
      {words.retryAtMs === undefined ? null : (
        // Outside of the status, or it would be read aloud every second.
        <p className={classes.countdown}>{countdownText(words.retryAtMs - nowMs)}</p>
      )}
      <Happened />
      {skewMs === 0 ? null : <p className={classes.clock}>{skewText(skewMs)}</p>}
    </div>
  );
}

/** What has become of the connection within the last half hour. */
function Happened() {
  const { host } = useStream();
  const marks = useFeedMarks();
  const words = useMomentWords();
  const texts = [hostWords(host, marks, words), outageWords(marks, words)].filter(
    (text) => text !== undefined,
  );
  return texts.length === 0 ? null : <p className={classes.happened}>{texts.join(' ')}</p>;
}

function countdownText(leftMs: number): string {
  return leftMs <= 0 ? 'Trying again now.' : `Next attempt in ${formatSpan(leftMs + 999)}.`;
}

function skewText(skewMs: number): string {
  const direction = skewMs > 0 ? 'behind' : 'ahead of';
  return `Publish times run ${formatSpan(Math.abs(skewMs))} ${direction} the clock of this computer; ages are corrected by that.`;
}
