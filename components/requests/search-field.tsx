'use client';
import { Anchor, CloseButton, Fieldset, Group, NavLink, Popover, Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { type RecognisedQuery, recogniseQuery } from '@/lib/core/log-query';
import { shortened } from '@/lib/core/text';
import { useRecentQueries } from '@/lib/requests/recent';
import classes from './requests.module.css';

/** A sequence may go on; a hash or an address is whole when it is recognised. */
const PAUSE_MS = 250;

const wantedOf = (text: string, search: RecognisedQuery) =>
  'canonical' in search ? search.canonical : text.trim();

type Props = {
  q: string;
  /** `whole`: nothing more will be typed, so what is found may be opened. */
  onSearch: (q: string, as: 'typing' | 'whole') => void;
};

/** Says what the text is, hands it over at once when it is pasted or whole, and offers what was searched for before. */
export function SearchField({ q, onSearch }: Props) {
  // `sent`: the search of the URL when the field last agreed with it or set it. Another one (Back) is taken over.
  const [kept, setDraft] = useState({ text: q, sent: q });
  const draft = kept.sent === q || kept.text.trim() === q ? kept : { text: q, sent: q };
  if (draft !== kept) setDraft(draft);
  const [isOffering, setOffering] = useState(false);
  const isPasted = useRef(false);
  const field = useRef<HTMLInputElement>(null);
  const recent = useRecentQueries();

  const search = recogniseQuery(draft.text);
  const wanted = wantedOf(draft.text, search);
  const isUnsent = wanted !== wantedOf(draft.sent, recogniseQuery(draft.sent)) && search.kind !== 'none';

  function send(text: string, as: 'typing' | 'whole') {
    const recognised = recogniseQuery(text);
    if (recognised.kind === 'none') return;
    const next = wantedOf(text, recognised);
    setDraft({ text, sent: next });
    onSearch(next, as);
    if (as === 'whole') recent.add(text);
  }
  function type(text: string) {
    const { kind } = recogniseQuery(text);
    const isWhole = kind === 'transaction' || kind === 'address' || (isPasted.current && kind === 'sequence');
    isPasted.current = false;
    setOffering(false);
    if (isWhole) send(text, 'whole');
    else setDraft({ text, sent: draft.sent });
  }
  const pause = useEffectEvent(() => send(draft.text, 'typing'));
  useEffect(() => {
    if (!isUnsent) return;
    const timer = setTimeout(() => pause(), wanted === '' ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isUnsent, wanted]);

  function press(event: KeyboardEvent) {
    if (event.key === 'Enter') send(draft.text, 'whole');
    else if (event.key === 'Escape' && isOffering) event.preventDefault();
    else if (event.key === 'ArrowDown' && recent.queries.length > 0 && draft.text === '') {
      event.preventDefault();
      setOffering(true);
      return;
    } else return;
    setOffering(false);
  }

  return (
    <Popover
      opened={isOffering && recent.queries.length > 0}
      onChange={setOffering}
      position="bottom-start"
      width="target"
      trapFocus={false}
      withRoles={false}
      returnFocus
    >
      <Popover.Target>
        <TextInput
          ref={field}
          className={classes.search}
          type="search"
          aria-label="Search"
          placeholder="Transaction, address or sequence"
          value={draft.text}
          autoComplete="off"
          spellCheck={false}
          error={search.kind === 'none'}
          aria-describedby="search-recognised"
          leftSection={<Icon name="search" size={14} />}
          rightSection={
            draft.text === '' ? null : (
              <CloseButton
                size="sm"
                tabIndex={-1}
                aria-label="Clear the search"
                onClick={() => send('', 'whole')}
              />
            )
          }
          onPaste={() => {
            isPasted.current = true;
          }}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={press}
          onClick={() => setOffering(draft.text === '')}
          onBlur={() => (search.kind === 'sequence' ? recent.add(draft.text) : undefined)}
        />
      </Popover.Target>
      <span
        id="search-recognised"
        className={search.kind === 'none' ? classes.refused : 'sr-only'}
        data-recognised={search.kind}
      >
        {recognisedLabel(search)}
      </span>
      <Popover.Dropdown className={classes.dropdown}>
        <RecentSearches
          recent={recent}
          onChoose={(query) => {
            send(query, 'whole');
            setOffering(false);
            field.current?.focus();
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function recognisedLabel(search: RecognisedQuery): string {
  switch (search.kind) {
    case 'empty':
      return '';
    case 'transaction':
      return 'Transaction hash';
    case 'address':
      return 'Address';
    case 'sequence':
      return 'Sequence';
    case 'none':
      return search.reason;
  }
}

type RecentProps = {
  recent: ReturnType<typeof useRecentQueries>;
  onChoose: (query: string) => void;
};

function RecentSearches({ recent, onChoose }: RecentProps) {
  return (
    <Fieldset variant="unstyled" aria-label="Recent searches">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Recent searches
        </Text>
        <Anchor component="button" size="sm" onClick={() => recent.clear()}>
          Clear all
        </Anchor>
      </Group>
      <ul>
        {recent.queries.map((query) => (
          <Group component="li" key={query} gap={4} wrap="nowrap">
            <NavLink
              component="button"
              p={6}
              label={<span className="mono">{shortened(query)}</span>}
              rightSection={recogniseQuery(query).kind}
              onClick={() => onChoose(query)}
            />
            <CloseButton aria-label={`Remove ${shortened(query)}`} onClick={() => recent.remove(query)} />
          </Group>
        ))}
      </ul>
    </Fieldset>
  );
}
