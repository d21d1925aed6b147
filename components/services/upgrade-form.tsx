'use client';
import { Button } from '@mantine/core';
import { type FormEvent, useId, useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { LiveControls } from '@/components/ui/live-controls';
import { clipped } from '@/lib/client/foreign-text';
import { type FeedReference, feedReferenceText, parseFeedReference } from '@/lib/contract/codec/feeds-url';
import { MOST_CHECKED_FEEDS, type UpgradeView } from '@/lib/contract/codec/upgrade-check-url';
import { type FeedEntry, findFeed } from '@/lib/domain/feed';
import {
  formatIsoSeconds,
  millisToSeconds,
  parseIsoTime,
  secondsToMillis,
  unixSeconds,
} from '@/lib/domain/units';
import classes from './upgrade-form.module.css';
import type { UpgradeCheckState } from './use-upgrade-check';

/** Two feeds that every deployment has. */
const USUAL: readonly FeedReference[] = [
  { kind: 'symbol', symbol: 'Crypto.BTC/USD' },
  { kind: 'symbol', symbol: 'Crypto.ETH/USD' },
];

/** What is to be checked. Nothing is asked before the button is pressed. */
export function UpgradeForm({ state: { view, entries, run, check } }: { state: UpgradeCheckState }) {
  const [feeds, setFeeds] = useState(view?.feeds ?? USUAL);
  const [moment, setMoment] = useState(() => momentText(view));
  const [extra, setExtra] = useState(view?.extra ?? 'none');
  const at = readMoment(moment);
  const wrong = at === 'unreadable' ? 'Unix seconds, or a time like 2026-11-20T12:00:00Z' : undefined;
  return (
    <LiveControls>
      <div className={classes.form}>
        <ChosenFeeds feeds={feeds} entries={entries} onChange={setFeeds} />
        <MomentField text={moment} wrong={wrong} onChange={setMoment} />
        <label className={classes.tick}>
          <input
            type="checkbox"
            checked={extra === 'deprecated'}
            onChange={() => setExtra(extra === 'none' ? 'deprecated' : 'none')}
          />
          Deprecated route too (a call for each feed)
        </label>
        <span className={classes.actions}>
          <Button
            variant="filled"
            disabled={feeds.length === 0 || at === 'unreadable' || run.standing === 'running'}
            onClick={() => at !== 'unreadable' && check({ feeds, at, extra })}
          >
            Check both hosts
          </Button>
          {run.standing === 'running' ? <Button onClick={run.cancel}>Cancel</Button> : null}
        </span>
      </div>
    </LiveControls>
  );
}

function momentText(view: UpgradeView | undefined): string {
  return view?.at === undefined ? '' : formatIsoSeconds(secondsToMillis(view.at));
}

/** Undefined for an empty field: then a moment is chosen that both hosts have just published. */
function readMoment(text: string): UpgradeView['at'] | 'unreadable' {
  const typed = text.trim();
  if (typed === '') return undefined;
  const ms = parseIsoTime(typed);
  const seconds = /^\d{1,12}$/.test(typed) ? unixSeconds(Number(typed)) : undefined;
  return seconds ?? (ms === undefined ? 'unreadable' : millisToSeconds(ms));
}

function MomentField({
  text,
  wrong,
  onChange,
}: {
  text: string;
  wrong: string | undefined;
  onChange: (text: string) => void;
}) {
  const noteId = useId();
  return (
    <label className={classes.moment}>
      Second to compare at
      <input
        className={`small-field ${classes.wide}`}
        value={text}
        placeholder="just published"
        autoComplete="off"
        spellCheck={false}
        aria-invalid={wrong !== undefined}
        aria-describedby={wrong === undefined ? undefined : noteId}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {wrong === undefined ? null : (
        <span id={noteId} className={classes.wrong}>
          {wrong}
        </span>
      )}
    </label>
  );
}

type Chosen = {
  feeds: readonly FeedReference[];
  entries: readonly FeedEntry[];
  onChange: (feeds: readonly FeedReference[]) => void;
};

function ChosenFeeds({ feeds, entries, onChange }: Chosen) {
  return (
    <fieldset className={classes.feeds}>
      <legend>Feeds</legend>
      <ul className={classes.chips} aria-label="Feeds to check">
        {feeds.map((feed) => (
          <FeedChip
            key={feedReferenceText(feed)}
            name={nameOf(feed, entries)}
            onRemove={() => onChange(feeds.filter((one) => one !== feed))}
          />
        ))}
      </ul>
      {feeds.length < MOST_CHECKED_FEEDS ? (
        <AddFeed feeds={feeds} entries={entries} onChange={onChange} />
      ) : (
        <p className={classes.full}>At most {MOST_CHECKED_FEEDS} feeds are checked.</p>
      )}
    </fieldset>
  );
}

function nameOf(feed: FeedReference, entries: readonly FeedEntry[]): string {
  if (feed.kind === 'symbol') return clipped(feed.symbol, 40);
  const symbol = entries.find(({ id }) => id === feed.id)?.symbol;
  return symbol === undefined ? `${feed.id.slice(0, 6)}…${feed.id.slice(-4)}` : clipped(symbol, 40);
}

function FeedChip({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <li className={classes.chip}>
      <bdi>{name}</bdi>
      <button type="button" className="icon-button" aria-label={`Leave out ${name}`} onClick={onRemove}>
        <Icon name="close" size={12} />
      </button>
    </li>
  );
}

/** The browser's own list of suggestions: symbols, where the directory can be had. */
function AddFeed(chosen: Chosen) {
  const listId = useId();
  const noteId = useId();
  const { field, wrong, add } = useAddFeed(chosen);
  return (
    <form className={classes.add} onSubmit={add}>
      <input
        ref={field}
        className="small-field"
        list={listId}
        aria-label="Add a feed to check"
        placeholder="Symbol or id"
        autoComplete="off"
        spellCheck={false}
        aria-invalid={wrong !== undefined}
        aria-describedby={wrong === undefined ? undefined : noteId}
      />
      <datalist id={listId}>
        {chosen.entries.map(({ id, symbol }) => (
          <option key={id} value={symbol} />
        ))}
      </datalist>
      <button type="submit" className="small-button">
        Add
      </button>
      {wrong === undefined ? null : (
        <span id={noteId} role="alert" className={classes.wrong}>
          {wrong}
        </span>
      )}
    </form>
  );
}

/** What the field is for: its feed joins the others, once. */
function useAddFeed({ feeds, entries, onChange }: Chosen) {
  const field = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState<string>();
  const add = (event: FormEvent) => {
    event.preventDefault();
    const typed = field.current?.value ?? '';
    const found = readFeed(typed, entries);
    if (found === undefined) {
      setWrong(typed.trim() === '' ? undefined : 'No such feed is known. An id of 64 hex digits will do.');
      return;
    }
    const isNew = feeds.every((one) => nameOf(one, entries) !== nameOf(found, entries));
    if (isNew) onChange([...feeds, found]);
    if (field.current !== null) field.current.value = '';
    setWrong(undefined);
  };
  return { field, wrong, add };
}

/** A symbol has to be in the directory; an id is taken without. */
function readFeed(text: string, entries: readonly FeedEntry[]): FeedReference | undefined {
  const typed = parseFeedReference(text);
  if (typed === undefined || typed.kind === 'id') return typed;
  const found = findFeed(entries, typed.symbol);
  return found === undefined ? undefined : { kind: 'symbol', symbol: found.symbol };
}
