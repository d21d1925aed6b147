'use client';
import { TextInput } from '@mantine/core';
import dynamic from 'next/dynamic';
import {
  type FocusEvent,
  type KeyboardEvent,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { Icon } from '@/components/ui/icons';
import { orNotice } from '@/components/ui/part-not-loaded';
import { stepTarget } from '@/components/ui/tick-step';
import { browserRecentQueries } from '@/lib/client/recent-queries';
import { onAddressSet } from '@/lib/client/use-address';
import { type RecognisedQuery, recogniseQuery } from '@/lib/domain/log-query';
import { draftOf, reconciledDraft } from './search-draft';
import classes from './search-field.module.css';
import { useRecentQueries } from './use-recent-queries';
import { viewOfAddress } from './use-requests-view';

const RecentSearches = dynamic(
  () => orNotice(import('./search-recent').then((part) => part.RecentSearches)),
  { ssr: false },
);

const PAUSE_MS = 400;

function recognisedWords(search: RecognisedQuery): string {
  switch (search.kind) {
    case 'empty':
      return 'Transaction, address or sequence';
    case 'transaction':
      return 'Recognised: transaction hash';
    case 'address':
      return 'Recognised: address';
    case 'sequence':
      return 'Recognised: sequence number';
    case 'none':
      return search.reason;
  }
}

/** What becomes the URL's search: the same text for everything that means the same. */
function wantedOf(text: string, search: RecognisedQuery): string {
  return 'canonical' in search ? search.canonical : text.trim();
}

/** The text of the field, and what to do with it: handed over when typing pauses, unless it can't be searched for. */
function useSearchText(q: string, onSearch: (q: string) => void) {
  // What is drawn follows the address later; what is typed is held against the address itself.
  const addressed = useSyncExternalStore(
    onAddressSet,
    () => viewOfAddress().q,
    () => q,
  );
  const [kept, setDraft] = useState(() => draftOf(addressed));
  const draft = reconciledDraft(kept, addressed);
  if (draft !== kept) setDraft(draft);

  const search = recogniseQuery(draft.text);
  const wanted = wantedOf(draft.text, search);
  const known = wantedOf(draft.sent, recogniseQuery(draft.sent));
  const unsent = wanted !== known && search.kind !== 'none';

  // Each changes what stands there by then: more may have been typed since this was drawn.
  function send(q: string) {
    setDraft((now) => ({ ...now, sent: q }));
    onSearch(q);
  }
  function type(text: string) {
    setDraft((now) => ({ ...now, text }));
  }

  const typingPaused = useEffectEvent((text: string) => (text === wanted ? send(wanted) : undefined));
  useEffect(() => {
    if (!unsent) return;
    const timer = setTimeout(() => typingPaused(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [unsent, wanted]);

  return {
    text: draft.text,
    search,
    type,
    choose: (query: string) => {
      type(query);
      send(query);
    },
    sendNow: () => (unsent ? send(wanted) : undefined),
  };
}

/** Says at once what the text is, hands it over when typing pauses, and offers what was searched for before. */
export function SearchField({ q, onSearch }: { q: string; onSearch: (q: string) => void }) {
  const { text, search, type, choose, sendNow } = useSearchText(q, onSearch);
  const recent = useRecentQueries();
  const [offer, setOffer] = useState<'open' | 'closed'>('closed');
  const root = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const isOpen = offer === 'open' && recent.length > 0;

  function remember() {
    browserRecentQueries().add(text);
  }

  function onBlur(event: FocusEvent) {
    if (root.current?.contains(event.relatedTarget)) return;
    setOffer('closed');
    remember();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape' && isOpen) {
      // In a search field the browser would empty it as well.
      event.preventDefault();
      setOffer('closed');
    } else if (event.key === 'Enter') {
      sendNow();
      remember();
      setOffer('closed');
    } else if (event.key === 'ArrowDown' && recent.length > 0) {
      event.preventDefault();
      if (isOpen) stepTarget(root.current, undefined, 'first')?.focus();
      else setOffer('open');
    }
  }

  function back(then: 'open' | 'closed') {
    field.current?.focus();
    setOffer(then);
  }

  return (
    <div ref={root} className={classes.search}>
      <TextInput
        ref={field}
        label="Search"
        type="search"
        placeholder="0x… or 12345"
        value={text}
        autoComplete="off"
        spellCheck={false}
        error={search.kind === 'none'}
        leftSection={<Icon name="search" size={14} />}
        description={<span data-recognised={search.kind}>{recognisedWords(search)}</span>}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        onBlur={onBlur}
        onKeyDown={onKeyDown}
        onClick={() => setOffer('open')}
        onChange={(event) => {
          type(event.currentTarget.value);
          setOffer('closed');
        }}
      />
      {isOpen ? (
        <RecentSearches
          queries={recent}
          onChoose={(query) => {
            choose(query);
            back('closed');
          }}
          onLeave={back}
          onBlur={onBlur}
        />
      ) : null}
    </div>
  );
}
