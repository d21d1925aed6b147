'use client';
import { WatchToggle } from '@/components/ui/watch-toggle';
import { groupDigitsBriefly } from '@/lib/client/human-number';
import type { ListedRecord } from '@/lib/client/related-requests';
import { isWatched, MOST_WATCHED } from '@/lib/client/watch-book';
import { useWatch } from '@/lib/client/watch-of-browser';
import { stateWord } from '@/lib/domain/request-record';

/** Pins a request whose state may still change; a completed one stays as it is. */
export function RequestWatch({ record }: { record: ListedRecord }) {
  const { book, watch, unwatch } = useWatch();
  // Two rows of one key on a page are versions of one request.
  const id = record.key.replace(/#\d+$/, '');
  const isOne = isWatched(book, id);
  if (record.state.kind === 'completed' && !isOne) return null;
  const { keeper, networkId } = record;
  const pin = () =>
    watch({
      kind: 'request',
      id,
      keeper,
      networkId,
      sinceMs: Date.now(),
      state: stateWord(record.state),
    });
  const isFull = book.watched.length >= MOST_WATCHED;
  return (
    <WatchToggle
      what={`request ${groupDigitsBriefly(record.sequence)}`}
      watched={isOne ? 'yes' : isFull ? 'full' : 'no'}
      onToggle={() => (isOne ? unwatch(id) : void pin())}
    />
  );
}
