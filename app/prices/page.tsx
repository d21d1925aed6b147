import type { Metadata } from 'next';
import { PriceLookup } from '@/components/prices/price-lookup';
import { PricesFrame } from '@/components/prices/prices-frame';
import { SymbolDirectory } from '@/components/prices/symbol-directory';
import { requireVisitor } from '@/lib/server/page-visitor';

export const metadata: Metadata = { title: 'Prices' };

type SearchParams = Record<string, string | string[] | undefined>;

/** The lookup, or with `view=symbols` the symbol directory. Both ask from the browser. */
export default async function PricesPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  await requireVisitor();
  const { view } = await searchParams;
  return (
    <PricesFrame view={view === 'symbols' ? 'symbols' : 'lookup'}>
      {view === 'symbols' ? <SymbolDirectory /> : <PriceLookup writtenAtMs={Date.now()} />}
    </PricesFrame>
  );
}
