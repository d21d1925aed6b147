import { Group, Title } from '@mantine/core';
import type { Metadata } from 'next';
import type { PageProps } from '@/app/search-params';
import { InspectorView } from '@/components/prices/inspector-view';
import { PriceLookup } from '@/components/prices/price-lookup';
import classes from '@/components/prices/prices.module.css';
import { SymbolDirectory } from '@/components/prices/symbol-directory';
import { Link } from '@/components/ui/link';
import { requirePrincipal } from '@/lib/access/page-principal';
import { findFeed } from '@/lib/core/feed';
import { INSPECTOR_PATH } from '@/lib/core/payload-link';
import { builtInFeeds } from '@/lib/core/registry';
import { services } from '@/lib/services/services';

export const metadata: Metadata = { title: 'Prices' };

/**
 * The page of `/prices`: with `view=symbols` the symbol directory, with `view=inspector` the payload inspector, else
 * the lookup.
 */
export default async function PricesPage({ searchParams }: PageProps) {
  await requirePrincipal();
  const { view } = await searchParams;
  const isLookup = view !== 'symbols' && view !== 'inspector';
  const current = (isCurrent: boolean) => (isCurrent ? 'page' : undefined);
  return (
    <div className={`page ${classes.page}`} data-fill={view === 'symbols' ? 'viewport' : undefined}>
      <Group gap="lg">
        <Title order={1}>Prices</Title>
        <Group component="nav" aria-label="Prices" gap="md" className={classes.views}>
          <Link href="/prices" aria-current={current(isLookup)}>
            Lookup
          </Link>
          <Link href="/prices?view=symbols" aria-current={current(view === 'symbols')}>
            Symbols
          </Link>
          <Link href={INSPECTOR_PATH} aria-current={current(view === 'inspector')}>
            Payload inspector
          </Link>
        </Group>
      </Group>
      {view === 'symbols' && <SymbolDirectory />}
      {view === 'inspector' && <InspectorView />}
      {isLookup && <PriceLookup board={boardIds()} />}
    </div>
  );
}

/** The feeds of the default board, by id if it is known without calling a service. */
function boardIds(): string[] {
  return services().settings.feeds.map((text) => findFeed(builtInFeeds(), text)?.id ?? text);
}
