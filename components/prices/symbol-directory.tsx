'use client';
import { useDeferredValue, useMemo, useState } from 'react';
import { type SymbolsStanding, useSymbols } from '@/lib/client/symbol-directory';
import { shownSymbols } from '@/lib/client/symbol-view';
import type { FeedSymbol, SymbolsAnswer } from '@/lib/contract/codec/symbols';
import classes from './symbol-directory.module.css';
import { DirectoryNotes, NoDirectory } from './symbol-notes';
import { SymbolPicks } from './symbol-picks';
import { symbolKey } from './symbol-row';
import { SymbolTable } from './symbol-table';
import { SymbolTools } from './symbol-tools';
import { useSymbolsView } from './use-symbols-view';

/** Every feed that the services name: searched, narrowed, and taken from here to a board, a lookup or a chart. */
export function SymbolDirectory() {
  return <DirectoryOf standing={useSymbols()} />;
}

/** The directory as it stands; what it shows of it is said by the address. */
export function DirectoryOf({ standing }: { standing: SymbolsStanding }) {
  return (
    <section className={classes.directory} aria-labelledby="symbol-directory">
      <h2 id="symbol-directory" className={classes.title}>
        Symbol directory
      </h2>
      {standing.state === 'loaded' && standing.answer.symbols.length > 0 ? (
        <Directory answer={standing.answer} />
      ) : (
        <NoDirectory standing={standing} />
      )}
    </section>
  );
}

const NONE: ReadonlyMap<string, FeedSymbol> = new Map();

function Directory({ answer }: { answer: SymbolsAnswer }) {
  const { view, problems, show } = useSymbolsView();
  const [picked, pick] = useState(NONE);
  // What is typed appears at once; the rows follow when there is time for them.
  const drawn = useDeferredValue(view);
  const shown = useMemo(() => shownSymbols(answer.symbols, drawn), [answer.symbols, drawn]);
  const toggle = (feed: FeedSymbol) =>
    pick((before) => {
      const after = new Map(before);
      if (!after.delete(symbolKey(feed))) after.set(symbolKey(feed), feed);
      return after;
    });
  return (
    <>
      <DirectoryNotes answer={answer} problems={problems} />
      <SymbolTools view={view} counts={shown.counts} show={show} />
      <SymbolPicks
        picked={[...picked.values()]}
        count={{ shown: shown.symbols.length, all: answer.symbols.length }}
        onClear={() => pick(NONE)}
      />
      <SymbolTable
        symbols={shown.symbols}
        picked={picked}
        onToggle={toggle}
        onShowAll={() =>
          show((now) => ({ ...now, find: '', chosen: { class: [], state: [], channel: [] } }), 'push')
        }
      />
    </>
  );
}
