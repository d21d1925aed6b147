'use client';
import { useState } from 'react';
import { DirectoryNotes, NoDirectory } from '@/components/prices/symbol-notes';
import { SymbolPicks } from '@/components/prices/symbol-picks';
import { symbolKey } from '@/components/prices/symbol-row';
import { SymbolTable } from '@/components/prices/symbol-table';
import type { FeedSymbol, SourceStanding, SymbolsAnswer } from '@/lib/contract/codec/symbols';
import { parseFeedId } from '@/lib/domain/feed';
import { GallerySection, Specimen } from './specimen';

const nothing = () => {};

const FAILED = {
  state: 'failed',
  failure: { kind: 'unauthorized', service: 'router', detail: 'The price router rejected our key (401)' },
} as const satisfies SourceStanding;
const UNCONFIGURED: SourceStanding = { state: 'unconfigured' };

function symbol(n: number, told: Partial<FeedSymbol>): FeedSymbol {
  return {
    routerId: String(n),
    feedId: parseFeedId(n.toString(16).padStart(64, 'e')),
    listedBy: 'both',
    symbol: `Crypto.C${n}/USD`,
    name: `C${n}USD`,
    description: `COIN ${n} / US DOLLAR`,
    assetType: 'crypto',
    minChannel: 'fixed_rate@200ms',
    state: 'stable',
    ...told,
  };
}

/** What the services tell of a feed, from all to next to nothing. */
const SYMBOLS: readonly FeedSymbol[] = [
  symbol(1, { symbol: 'Crypto.BTC/USD', description: 'BITCOIN / US DOLLAR', minChannel: 'real_time' }),
  symbol(2, { state: 'coming_soon' }),
  symbol(3, { state: 'inactive', assetType: 'fx' }),
  symbol(4, { state: 'half_asleep', minChannel: 'fixed_rate@5s' }),
  symbol(5, { feedId: undefined, listedBy: 'router', description: '' }),
  symbol(6, { routerId: undefined, listedBy: 'updates', state: undefined, minChannel: undefined }),
  symbol(7, { symbol: `Crypto.\u202e${'W'.repeat(300)}/USD`, assetType: '' }),
];

function answer(sources: SymbolsAnswer['sources'], nowMs: number): SymbolsAnswer {
  return { symbols: SYMBOLS, sources, unreadable: 12, asOfMs: nowMs };
}

function Table({ symbols }: { symbols: readonly FeedSymbol[] }) {
  const [picked] = useState(() => new Map(symbols.slice(0, 1).map((one) => [symbolKey(one), one])));
  return <SymbolTable symbols={symbols} picked={picked} onToggle={nothing} onShowAll={nothing} />;
}

/** The symbol directory: its rows, and what is said where a list is missing. */
export function PricesSection({ nowMs }: { nowMs: number }) {
  const old: SourceStanding = { ...FAILED, asOfMs: nowMs - 3_600_000 };
  const none = { ...answer({ router: FAILED, updates: UNCONFIGURED }, nowMs), symbols: [] };
  return (
    <GallerySection name="prices">
      <Specimen name="Symbols">
        <Table symbols={SYMBOLS} />
      </Specimen>
      <Specimen name="No symbol fits">
        <Table symbols={[]} />
      </Specimen>
      <Specimen name="Ticked symbols" opens="yes">
        <SymbolPicks picked={SYMBOLS.slice(0, 3)} count={{ shown: 7, all: 3_000 }} onClear={nothing} />
      </Specimen>
      <Specimen name="Nothing ticked">
        <SymbolPicks picked={[]} count={{ shown: 3_000, all: 3_000 }} onClear={nothing} />
      </Specimen>
      <Specimen name="One list is old, the other is not there">
        <DirectoryNotes
          answer={answer({ router: old, updates: UNCONFIGURED }, nowMs)}
          problems={[{ param: 'sort', value: 'size', message: 'It is one of best, symbol.' }]}
        />
      </Specimen>
      <Specimen name="The directory is loading">
        <NoDirectory standing={{ state: 'loading' }} />
      </Specimen>
      <Specimen name="No service has a directory">
        <NoDirectory standing={{ state: 'loaded', answer: none }} />
      </Specimen>
    </GallerySection>
  );
}
