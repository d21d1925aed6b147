'use client';
import { WatchToggle } from '@/components/ui/watch-toggle';
import { isWatched, MOST_WATCHED, OPEN, useWatch } from '@/lib/client/watch';
import type { Incident, SingleStuck } from '@/lib/domain/diagnosis/incident';

/** Pins an incident, for as long as somebody wants to hear of it. */
export function IncidentWatch({ incident, headline }: { incident: Incident; headline: string }) {
  const { book, watch, unwatch } = useWatch();
  const { id, keeper, networkId, size } = incident;
  const isOne = isWatched(book, id);
  const pin = () =>
    watch({
      kind: 'incident',
      id,
      keeper,
      networkId,
      sinceMs: Date.now(),
      state: OPEN,
      size,
      notedSize: size,
    });
  const isFull = book.watched.length >= MOST_WATCHED;
  return (
    <WatchToggle
      what={headline}
      watched={isOne ? 'yes' : isFull ? 'full' : 'no'}
      onToggle={() => (isOne ? unwatch(id) : void pin())}
    />
  );
}

/** Pins a single stuck request. */
export function SingleWatch({ single, name }: { single: SingleStuck; name: string }) {
  const { book, watch, unwatch } = useWatch();
  // Two rows of one key in a list are versions of one request.
  const id = single.key.replace(/#\d+$/, '');
  const isOne = isWatched(book, id);
  const { keeper, networkId } = single;
  const pin = () => watch({ kind: 'request', id, keeper, networkId, sinceMs: Date.now(), state: 'pending' });
  const isFull = book.watched.length >= MOST_WATCHED;
  return (
    <WatchToggle
      what={name}
      watched={isOne ? 'yes' : isFull ? 'full' : 'no'}
      onToggle={() => (isOne ? unwatch(id) : void pin())}
    />
  );
}
