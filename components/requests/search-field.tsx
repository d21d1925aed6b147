'use client';
import { TextInput } from '@mantine/core';
import { useEffect, useEffectEvent, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { recogniseQuery } from '@/lib/domain/log-query';
import classes from './filters.module.css';
import { draftOf, reconciledDraft } from './search-draft';

const PAUSE_MS = 400;

function recognisedWords(text: string): string {
  switch (recogniseQuery(text).kind) {
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

/** Says at once what the text is, and hands it over when typing pauses; text that can't be searched for is not. */
export function SearchField({ q, onSearch }: { q: string; onSearch: (q: string) => void }) {
  const [kept, setDraft] = useState(() => draftOf(q));
  const draft = reconciledDraft(kept, q);
  if (draft !== kept) setDraft(draft);

  const wanted = draft.text.trim();
  const refused = recogniseQuery(draft.text).kind === 'none';
  const unsent = wanted !== draft.sent && !refused;

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

  return (
    <TextInput
      label="Search"
      type="search"
      placeholder="0x… or 12345"
      className={classes.search}
      value={draft.text}
      autoComplete="off"
      spellCheck={false}
      error={refused}
      leftSection={<Icon name="search" size={14} />}
      description={<span data-refused={refused ? 'yes' : undefined}>{recognisedWords(draft.text)}</span>}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      onChange={(event) => setDraft({ ...draft, text: event.currentTarget.value })}
      onKeyDown={(event) => (event.key === 'Enter' && unsent ? send() : undefined)}
    />
  );
}
