'use client';
import { WatchPanel } from '@/components/pending/watch-panel';
import { WatchToggle } from '@/components/ui/watch-toggle';
import {
  EMPTY_BOOK,
  GONE,
  type JournalEntry,
  OPEN,
  OVER,
  type WatchBook,
  type Watched,
} from '@/lib/client/watch-book';
import { type Watch, WatchGiven } from '@/lib/client/watch-of-browser';
import type { WatchStanding } from '@/lib/client/watch-poller';
import type { Failure } from '@/lib/domain/outcome';
import classes from './gallery.module.css';
import { Place } from './pending-section';
import { galleryRecord } from './request-fixtures';
import { GallerySection, Specimen } from './specimen';

const nothing = () => {};
const HOUR_MS = 3_600_000;
const STATES = ['pending', 'completed', 'callback-failed', 'failed', 'queued', GONE];

function requestsAt(nowMs: number): Watched[] {
  return STATES.map((state, at) => {
    const { key, keeper, networkId } = galleryRecord(nowMs, { sequence: String(501 + at), ageS: 900 });
    return {
      kind: 'request',
      id: key,
      keeper,
      networkId,
      sinceMs: nowMs - HOUR_MS,
      state,
      checkedAtMs: nowMs,
    };
  });
}

function incidentsAt(nowMs: number): Watched[] {
  const incident = { kind: 'incident', keeper: 'main', networkId: '8453', sinceMs: nowMs - HOUR_MS } as const;
  return [
    { ...incident, id: 'open', state: OPEN, size: 1234 },
    { ...incident, id: 'over', state: OVER, size: 0 },
  ];
}

/** More entries than stand there at once. */
function journalAt(nowMs: number): JournalEntry[] {
  const watched = [...requestsAt(nowMs).slice(1), ...incidentsAt(nowMs)];
  return Array.from({ length: 20 }, (_, at) => {
    const { kind, id, keeper, networkId, state } = watched[at % watched.length] as Watched;
    const to = state === OPEN ? '80 pending' : state;
    const from = kind === 'incident' ? '40 pending' : 'pending';
    return { kind, id, keeper, networkId, from, to, atMs: nowMs - at * 187_000 };
  });
}

type Case = { name: string; book: WatchBook; standing: WatchStanding };

function casesAt(nowMs: number): Case[] {
  const watched = [...incidentsAt(nowMs), ...requestsAt(nowMs)];
  const full: WatchBook = { watched, journal: journalAt(nowMs), notify: 'yes' };
  const failure: Failure = { kind: 'unreachable', detail: 'No connection.' };
  const checked: WatchStanding = { kind: 'watching', checkedAtMs: nowMs - 2000 };
  return [
    { name: 'Nothing is watched', book: EMPTY_BOOK, standing: { kind: 'idle' } },
    {
      name: 'Just watched, no change seen',
      book: { ...EMPTY_BOOK, watched: watched.slice(0, 1) },
      standing: { kind: 'watching', checkedAtMs: undefined },
    },
    { name: 'Watched, with a journal', book: full, standing: checked },
    {
      name: 'Failing',
      book: { ...full, journal: [], notify: 'no' },
      standing: { kind: 'waits', failure, againAtMs: nowMs + 20_000 },
    },
    {
      name: 'Nothing of it can change any more',
      book: { ...EMPTY_BOOK, watched: requestsAt(nowMs).slice(1, 3) },
      standing: { kind: 'idle' },
    },
    {
      name: 'Nothing is watched any more, with a journal',
      book: { ...full, watched: [] },
      standing: { kind: 'idle' },
    },
  ];
}

/** The list of a browser that is not this one. */
function watchOf({ book, standing }: Case): Watch {
  return {
    book,
    standing,
    watch: () => 'watched',
    unwatch: nothing,
    forgetJournal: nothing,
    refusal: (id) => (id === 'over' ? { kind: 'rejected', service: 'logs', detail: 'no' } : undefined),
    askAgain: nothing,
    notify: async () => 'refused',
    dontNotify: nothing,
  };
}

/** What a browser watches, and what it has seen change. */
export function WatchSection({ nowMs }: { nowMs: number }) {
  return (
    <Place nowMs={nowMs}>
      <GallerySection name="watch">
        {casesAt(nowMs).map((of) => (
          <Specimen key={of.name} name={of.name}>
            <WatchGiven value={watchOf(of)}>
              <WatchPanel />
            </WatchGiven>
          </Specimen>
        ))}
        <Specimen name="The button: not watched, watched, too many">
          <div className={classes.row}>
            {(['no', 'yes', 'full'] as const).map((watched) => (
              <WatchToggle key={watched} what="an incident" watched={watched} onToggle={nothing} />
            ))}
          </div>
        </Specimen>
      </GallerySection>
    </Place>
  );
}
