'use client';
import { Alert, Box, Button, Checkbox, Group, Stack, Text, Title } from '@mantine/core';
import { useMap } from '@mantine/hooks';
import { useQueryStates } from 'nuqs';
import { useDeferredValue, useMemo } from 'react';
import { Link } from '@/components/ui/link';
import { LiveControls } from '@/components/ui/live-controls';
import { Muted } from '@/components/ui/text';
import { useMomentWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { SERVICE_TERMS } from '@/lib/core/health';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { shownSymbols } from '@/lib/prices/client/symbol-list';
import { useSymbols } from '@/lib/prices/client/use-symbols';
import type { FeedSymbol, SymbolSource, SymbolsAnswer } from '@/lib/prices/symbols-response';
import { type SymbolsView, symbolParsers } from '@/lib/prices/view';
import classes from './prices.module.css';
import { keyOf } from './symbol-names';
import { SymbolTable } from './symbol-table';
import { ClassTabs, Picks, Tools } from './symbol-tools';

export function SymbolDirectory() {
  const { answer, failure } = useSymbols();
  return (
    <Stack component="section" gap="sm" aria-labelledby="symbol-directory" className={classes.directory}>
      <Title order={2} id="symbol-directory" className="sr-only">
        Symbol directory
      </Title>
      {answer && <Notes answer={answer} />}
      {failure && !answer ? (
        <Alert title="Symbol list unavailable">{explainFailure(failure).title}. Resumes automatically.</Alert>
      ) : null}
      {answer || failure ? null : <Text role="status">Loading the directory…</Text>}
      {answer && answer.symbols.length > 0 ? <Directory answer={answer} /> : null}
    </Stack>
  );
}

const ALL = { find: '', class: [], state: [], channel: [] };

function Directory({ answer }: { answer: SymbolsAnswer }) {
  const [view, setView] = useQueryStates(symbolParsers, { history: 'push' });
  const picked = useMap<string, FeedSymbol>();
  // Deferred: typed text appears at once, the rows when the browser is idle.
  const drawn = useDeferredValue(view);
  const { symbols, counts } = useMemo(() => shownSymbols(answer.symbols, drawn), [answer.symbols, drawn]);
  const toggle = (feed: FeedSymbol) => picked.delete(keyOf(feed)) || picked.set(keyOf(feed), feed);
  const chosen = symbols.filter((feed) => picked.has(keyOf(feed))).length;
  const all = `${groupDigits(answer.symbols.length)} symbols`;
  const show = (change: Partial<SymbolsView>, history: 'push' | 'replace' = 'push') =>
    void setView(change, { history });
  const selectAll = (
    <Checkbox
      aria-label="Select all symbols found"
      title="Select all symbols found"
      disabled={symbols.length === 0}
      checked={chosen > 0 && chosen === symbols.length}
      indeterminate={chosen > 0 && chosen < symbols.length}
      onChange={({ currentTarget: { checked } }) => {
        for (const feed of symbols) {
          if (checked) picked.set(keyOf(feed), feed);
          else picked.delete(keyOf(feed));
        }
      }}
    />
  );
  return (
    <>
      <LiveControls>
        <Stack gap="sm">
          <Tools view={view} counts={counts} show={show} />
          <ClassTabs view={view} counts={counts} show={show} />
        </Stack>
      </LiveControls>
      <Group mih="1.75rem" className={classes.bulk}>
        {/* On a phone the table has no head for it. */}
        <Box hiddenFrom="sm">{selectAll}</Box>
        <Muted role="status">
          {symbols.length === answer.symbols.length ? all : `${groupDigits(symbols.length)} of ${all}`}
        </Muted>
        {picked.size === 0 ? null : <Picks picked={[...picked.values()]} onClear={() => picked.clear()} />}
      </Group>
      {symbols.length === 0 ? (
        <Group>
          <Text>No results</Text>
          <Button onClick={() => show(ALL)}>Show all symbols</Button>
        </Group>
      ) : (
        <SymbolTable
          key={JSON.stringify(drawn)}
          symbols={symbols}
          picked={picked}
          selectAll={selectAll}
          hasRouter={answer.sources.router.state === 'ok'}
          hasClass={drawn.class.length !== 1}
          order={{ ...drawn, onSort: (sort, order) => show({ sort, order }) }}
          onToggle={toggle}
        />
      )}
    </>
  );
}

const MISSING: Record<SymbolSource, string> = {
  router: 'Missing data: router ids, minimum channels, states.',
  updates: 'Missing data: feeds that only this service lists.',
};

function Notes({ answer: { symbols, sources, unreadable } }: { answer: SymbolsAnswer }) {
  const moment = useMomentWords();
  const isEmpty = symbols.length === 0;
  const noteOf = (source: SymbolSource) => {
    const status = sources[source];
    const { name, url } = SERVICE_TERMS[source];
    if (status.state === 'ok') return isEmpty ? [`${name}: empty list.`] : [];
    if (status.state === 'unconfigured') return [`${name} not configured (${url}). ${MISSING[source]}`];
    const rest = status.asOfMs === undefined ? MISSING[source] : `Stale since ${moment(status.asOfMs)}.`;
    return [`${explainFailure(status.failure).title}. ${rest} Resumes automatically.`];
  };
  const notes = [
    ...noteOf('router'),
    ...noteOf('updates'),
    ...(unreadable === 0 ? [] : [countOf(unreadable, 'unreadable row')]),
  ];
  if (notes.length === 0) return null;
  return (
    <Alert
      role={isEmpty ? 'alert' : 'status'}
      aria-label="Directory status"
      title={isEmpty && 'Symbol list unavailable'}
    >
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {isEmpty ? (
        <p>
          Ids still work: <Link href="/prices">look up prices</Link> by router id or feed id, or add feeds to
          a <Link href="/feeds">board</Link>.
        </p>
      ) : null}
    </Alert>
  );
}
