'use client';
import { CloseButton, Group, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { useNetworks } from '@/components/ui/networks';
import suggestionClasses from '@/components/ui/suggestions.module.css';
import { Muted } from '@/components/ui/text';
import { useTimeStyle } from '@/components/ui/time-style';
import { useSuggestions } from '@/components/ui/use-suggestions';
import { recogniseQuery } from '@/lib/core/log-query';
import { useRecentQueries } from '@/lib/requests/client/browsing-history';
import { onlyMatch } from '@/lib/requests/client/find-request';
import { followedQuery } from '@/lib/requests/client/use-followed';
import { asNewList } from '@/lib/requests/filters';
import { viewKeyOf } from '@/lib/requests/load';
import { type ColumnValues, readColumnValues } from '@/lib/requests/requests-response';
import { type Meaning, searchMeanings } from '@/lib/requests/search';
import { defaultRequestsView, REQUESTS_PATH, type RequestsView, withOpen } from '@/lib/requests/view';
import classes from './requests.module.css';
import { useRequests } from './requests-context';
import { useAllTimeMatches, usePrefetchedMatches } from './result-notices';

/** The most frequent first. With `find` undefined, nothing is requested. */
export function useColumnValues(
  view: RequestsView,
  column: ColumnValues['column'],
  find: string | undefined,
): { suggestions: ColumnValues | undefined; isSearching: boolean } {
  const params = new URLSearchParams(viewKeyOf(view).slice(REQUESTS_PATH.length + 1));
  params.set('column', column);
  if (find) params.set('find', find);
  const { data, isFetching } = useQuery({
    ...followedQuery(`/api/view/requests/values?${params}`, readColumnValues),
    enabled: find !== undefined,
    placeholderData: keepPreviousData,
  });
  return { suggestions: data, isSearching: isFetching };
}

/** A typed sequence may not be complete. Hashes and addresses have a fixed length and are searched at once. */
const PAUSE_MS = 250;
const MIN_FAILURE_CHARACTERS = 3;
const QUERY_LABELS = { transaction: 'Transaction', address: 'Address', sequence: 'Sequence' };

const canonicalOf = (text: string) => {
  const query = recogniseQuery(text);
  return 'canonical' in query ? query.canonical : text.trim();
};

/** Meanings of a text that is not an id: networks, states, times, and failures with their numbers. */
function useMeanings(text: string) {
  // Includes networks that appeared after the page was rendered.
  const networks = useNetworks();
  const style = useTimeStyle();
  const words = text.trim();
  const isOther = recogniseQuery(text).kind === 'none';
  const isWords = isOther && words.length >= MIN_FAILURE_CHARACTERS;
  const [find] = useDebouncedValue(isWords ? words : undefined, 200);
  const everywhere = { ...defaultRequestsView(), time: { kind: 'all' as const } };
  const failures = useColumnValues(everywhere, 'failure', isWords ? find : undefined).suggestions;
  const counts = new Map(isWords ? failures?.values.map(({ value, count }) => [value, count]) : []);
  const context = {
    networks: [...networks.values()],
    style,
    nowMs: Date.now(),
    failures: [...counts.keys()],
  };
  return {
    meanings: isOther ? searchMeanings(text, context) : [],
    counts,
    isSearching: isWords && find !== words,
  };
}

/** `send` searches at once, typing after a pause. `sent`: the search last matched or set; the field adopts another (Back). */
function useDraft(addRecent: (text: string) => void) {
  const { q } = useRequests().view;
  const search = useSearch();
  const [state, setDraft] = useState({ text: q, sent: q });
  const draft = state.sent === q || canonicalOf(state.text) === q ? state : { text: q, sent: q };
  if (draft !== state) setDraft(draft);
  const { text, sent } = draft;
  const isUnsent = recogniseQuery(text).kind !== 'none' && canonicalOf(text) !== canonicalOf(sent);

  function send(text: string, as: 'typing' | 'whole') {
    const next = canonicalOf(text);
    setDraft({ text, sent: next });
    search(next, as);
    if (as === 'whole') addRecent(text);
  }
  const pause = useEffectEvent(() => send(text, 'typing'));
  useEffect(() => {
    if (!isUnsent) return;
    const timer = setTimeout(() => pause(), text === '' ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isUnsent, text]);
  return { draft, setDraft, send };
}

export function SearchField() {
  const { show } = useRequests();
  const recent = useRecentQueries();
  const { draft, setDraft, send } = useDraft(recent.add);
  const isPasted = useRef(false);
  const query = recogniseQuery(draft.text);
  const { meanings, counts, isSearching } = useMeanings(draft.text);
  const offered = draft.text === '' ? recent.queries : [];
  const list = useSuggestions(meanings.length + linesOf(offered).length, submit);

  function type(text: string) {
    const { kind } = recogniseQuery(text);
    const isWhole = kind === 'transaction' || kind === 'address' || (isPasted.current && kind === 'sequence');
    isPasted.current = false;
    if (isWhole) send(text, 'whole');
    else setDraft({ text, sent: draft.sent });
    if (kind === 'none') list.open();
    else list.close();
  }
  function choose({ change }: Meaning) {
    setDraft({ text: '', sent: '' });
    show((now) => asNewList(now, { ...change, q: '' }), 'push');
  }
  function submit(at: number) {
    const [meaning, recentText] = [meanings[at], offered[at - meanings.length]];
    if (meaning !== undefined) choose(meaning);
    else if (recentText !== undefined) send(recentText, 'whole');
    else recent.clear();
  }
  const [first] = meanings;
  const noResults = query.kind === 'none' ? `No results. ${query.reason}` : undefined;
  return (
    <div className={classes.search}>
      <TextInput
        {...list.field}
        aria-label="Search"
        placeholder="Hash, address, sequence, network, failure, time"
        value={draft.text}
        spellCheck={false}
        leftSection={<Icon name="search" size={14} />}
        rightSectionWidth={'canonical' in query ? 108 : 30}
        rightSection={
          draft.text === '' ? null : <Recognised query={query} onClear={() => send('', 'whole')} />
        }
        onPaste={() => {
          isPasted.current = true;
        }}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (list.takesKey(event) || event.key !== 'Enter') return;
          if (query.kind !== 'none') send(draft.text, 'whole');
          else if (first !== undefined) choose(first);
        }}
        onClick={() => (draft.text === '' ? list.open() : undefined)}
        onBlur={() => {
          list.close();
          if (query.kind === 'sequence') recent.add(draft.text);
        }}
      />
      {list.isOpen ? (
        <Suggestions
          {...{ list, meanings, counts, offered }}
          empty={isSearching ? 'Searching…' : noResults}
        />
      ) : null}
    </div>
  );
}

const linesOf = (offered: readonly string[]) =>
  offered.length === 0 ? [] : [...offered, 'Clear recent searches'];

type RecognisedProps = { query: ReturnType<typeof recogniseQuery>; onClear: () => void };

function Recognised({ query, onClear }: RecognisedProps) {
  return (
    <Group gap={4} wrap="nowrap" pr={4}>
      <Muted size="xs" data-recognised={query.kind}>
        {'canonical' in query ? QUERY_LABELS[query.kind] : ''}
      </Muted>
      <CloseButton size="sm" tabIndex={-1} aria-label="Clear the search" onClick={onClear} />
    </Group>
  );
}

type SuggestionsProps = {
  list: ReturnType<typeof useSuggestions>;
  meanings: readonly Meaning[];
  /** Number of requests by failure. */
  counts: ReadonlyMap<string, number>;
  offered: readonly string[];
  /** Undefined shows nothing if there is nothing to choose. */
  empty: string | undefined;
};

function Suggestions({ list, meanings, counts, offered, empty }: SuggestionsProps) {
  const lines = linesOf(offered);
  const isEmpty = meanings.length + lines.length === 0;
  if (isEmpty && empty === undefined) return null;
  return (
    <div className={suggestionClasses.suggestions}>
      <div {...list.listbox}>
        {meanings.map(({ what, words, change }, at) => (
          <div key={`${what} ${words}`} {...list.option(at)}>
            <Group gap="sm" wrap="nowrap">
              <Muted size="sm" w="4.5rem">
                {what}
              </Muted>
              <bdi>{words}</bdi>
              <Muted size="sm" ml="auto" className="num">
                {counts.get(change.failures?.[0] ?? '')}
              </Muted>
            </Group>
          </div>
        ))}
        {lines.map((text, at) => (
          <div key={text} {...list.option(meanings.length + at)}>
            {at < offered.length ? <span className="mono">{text}</span> : text}
          </div>
        ))}
      </div>
      {isEmpty ? (
        <Muted ta="center" p="6px 10px">
          {empty}
        </Muted>
      ) : null}
    </div>
  );
}

/** Searches for a text. `whole` means that the id is complete, so a single match is opened. */
function useSearch() {
  const { view, show } = useRequests();
  const [wanted, setWanted] = useState<string>();
  const isRequested = wanted !== undefined && wanted === view.q;
  const matches = useAllTimeMatches(view.q, isRequested);
  const prefetch = usePrefetchedMatches();
  const openOnly = useEffectEvent(() => {
    const match = matches && onlyMatch(matches);
    setWanted(undefined);
    if (match !== undefined) show((now) => withOpen(now, match), 'replace');
  });
  useEffect(() => {
    if (matches !== undefined && isRequested) openOnly();
  }, [matches, isRequested]);
  return (q: string, as: 'typing' | 'whole') => {
    // A separate history entry from the filter that was chosen before it.
    if (q !== view.q)
      show((now) => asNewList(now, { q }), (view.q === '') === (q === '') ? 'replace' : 'push');
    const isWhole = as === 'whole' && q !== '';
    setWanted(isWhole ? q : undefined);
    if (!isWhole) return;
    prefetch(q);
    // A failure is reported when the panel opens.
    import('./request-panel').catch(() => {});
  };
}
