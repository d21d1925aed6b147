import { Group, Title } from '@mantine/core';
import type { Metadata } from 'next';
import type { PageProps } from '@/app/search-params';
import { PriceLookup } from '@/components/prices/price-lookup';
import { SymbolDirectory } from '@/components/prices/symbol-directory';
import { Link } from '@/components/ui/link';
import { requirePrincipal } from '@/lib/access/page-principal';

export const metadata: Metadata = { title: 'Prices' };

/** The lookup, or with `view=symbols` the symbol directory. Both ask from the browser. */
export default async function PricesPage({ searchParams }: PageProps) {
  await requirePrincipal();
  const isDirectory = (await searchParams).view === 'symbols';
  return (
    <div className="page">
      <Group gap="lg">
        <Title order={1}>Prices</Title>
        <Group component="nav" aria-label="Prices" gap="md">
          <Link href="/prices" aria-current={isDirectory ? undefined : 'page'}>
            Lookup
          </Link>
          <Link href="/prices?view=symbols" aria-current={isDirectory ? 'page' : undefined}>
            Symbols
          </Link>
          <Link href="/services#payload-inspector">Payload inspector</Link>
        </Group>
      </Group>
      {isDirectory ? <SymbolDirectory /> : <PriceLookup />}
    </div>
  );
}
