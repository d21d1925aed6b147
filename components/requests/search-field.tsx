'use client';
import { TextInput } from '@mantine/core';
import { useEffect, useEffectEvent, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { recogniseQuery } from '@/lib/domain/log-query';
import classes from './filters.module.css';
import { draftOf, reconciledDraft } from './search-draft';

const PAUSE_MS = 400;

type Kind = ReturnType<typeof recogniseQuery>['kind'];

function recognisedWords(kind: Kind): string {
  switch (kind) {
    case 'empty':
      return 'Transaction, address or sequence';
    case 'transaction':
      return 'Recognised: transaction hash';
    case 'address':
      return 'Recognised: address';
    case 'sequence':
      return 'Recognised: sequence number';
    case 'none':
      return 'Not a hash, address or number';
  }
}

/** The text of the field, and what to do with it: handed over when typing pauses, unless it can't be searched for. */
function useSearchText(q: string, onSearch: (q: string) => void) {
  const [kept, setDraft] = useState(() => draftOf(q));
  const draft = reconciledDraft(kept, q);
  if (draft !== kept) setDraft(draft);

  const wanted = draft.text.trim();
  const { kind } = recogniseQuery(draft.text);
  const unsent = wanted !== draft.sent && kind !== 'none';

  function send() {
    setDraft({ ...draft, sent: wanted });
    onSearch(wanted);
  }

  const typingPaused = useEffectEvent((text: string) => (text === wanted ? send() : undefined));
  useEffect(() => {
    if (!unsent) return;
    const timer = setTimeout(() => typingPaused(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [unsent, wanted]);

  return {
    text: draft.text,
    kind,
    type: (text: string) => setDraft({ ...draft, text }),
    sendNow: () => (unsent ? send() : undefined),
  };
}

/** Says at once what the text is, and hands it over when typing pauses. */
export function SearchField({ q, onSearch }: { q: string; onSearch: (q: string) => void }) {
  const { text, kind, type, sendNow } = useSearchText(q, onSearch);
  return (
    <TextInput
      label="Search"
      type="search"
      placeholder="0x… or 12345"
      className={classes.search}
      value={text}
      autoComplete="off"
      spellCheck={false}
      error={kind === 'none'}
      leftSection={<Icon name="search" size={14} />}
      description={<span data-recognised={kind}>{recognisedWords(kind)}</span>}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => (event.key === 'Enter' ? sendNow() : undefined)}
    />
  );
}
