'use client';
import { useMemo, useState } from 'react';
import { Filters } from '@/components/requests/filters';
import { RecentSearches } from '@/components/requests/search-recent';
import type { ShowView } from '@/components/requests/use-requests-view';
import { type Facet, type FacetCount, facetPath, filtersOnly } from '@/lib/client/facets';
import type { FacetOf } from '@/lib/contract/codec/facets';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { defaultRequestsView, formatRequestsUrl, type RequestsView } from '@/lib/contract/codec/requests-url';
import classes from './gallery.module.css';
import { galleryRows, NETWORKS } from './request-fixtures';
import { GallerySection, Specimen } from './specimen';
import { type Known, Still } from './still';

const nothing = () => {};
const KEEPERS = ['main', 'test'];

const total = (count: string) => ({ total: count });
const refused = {
  problem: { kind: 'rejected', service: 'logs', detail: 'Chain id is not supported' },
} as const;

const FACETS: Record<FacetOf, Facet> = {
  network: {
    counts: new Map<string, FacetCount>([
      ['42161', total('1204331')],
      ['8453', refused],
    ]),
    complete: true,
  },
  state: {
    counts: new Map([
      ['completed', total('1203000')],
      ['failed', total('0')],
    ]),
    complete: false,
  },
  keeper: {
    counts: new Map([['main', total('17')]]),
    complete: false,
    failure: { kind: 'timeout', service: 'logs', detail: 'No answer within 20 seconds.' },
  },
};

/** The counts under the keys under which the filters of a view look for them. */
function facetsOf(view: RequestsView): Known {
  return (['network', 'state', 'keeper'] as const).map((of) => {
    const others = formatRequestsUrl({ ...filtersOnly(view), [`${of}s`]: [] });
    return [['facet', of, others, facetPath(view, of)], FACETS[of]] as const;
  });
}

const SENDER = `0x${'11'.repeat(20)}`;

const CASES: { name: string; view: Partial<RequestsView> }[] = [
  { name: 'None', view: {} },
  {
    name: 'Several of each, a search, and two ends of time',
    view: {
      networks: ['42161', '777000777'],
      states: ['failed', 'queued'],
      keepers: ['main', 'test'],
      q: `0x${'ab'.repeat(32)}`,
      time: { kind: 'between', from: '2026-11-20T08:00:00Z', to: '2026-11-20T09:05:03+01:00' },
    },
  },
  {
    name: 'A length of one’s own, a search that is none, a keeper that is not there',
    view: { time: { kind: 'last', range: '45m' }, q: 'not a hash', keepers: ['gone'] },
  },
  {
    name: 'An end before its beginning',
    view: { time: { kind: 'between', from: '2026-11-20T08:00:00Z', to: '2026-11-20T07:00:00Z' } },
  },
  {
    name: 'Filters within the loaded rows',
    view: {
      within: {
        only: [
          { column: 'sender', value: SENDER },
          { column: 'state', value: 'callback-failed' },
        ],
        not: [{ column: 'network', value: '8453' }],
        gasMin: '100000',
        gasMax: '500000',
      },
    },
  },
];

function Case({ change, rows }: { change: Partial<RequestsView>; rows: readonly ListedRow[] }) {
  const [view, setView] = useState(() => ({ ...defaultRequestsView(), ...change }));
  const show: ShowView = (to) => setView(to);
  return (
    <Still known={facetsOf(view)}>
      <Filters view={view} keepers={KEEPERS} networks={NETWORKS} rows={rows} show={show} />
    </Still>
  );
}

/** Every filter, closed; their windows and, on a narrow screen, the sheet open on demand. */
export function FiltersSection({ nowMs }: { nowMs: number }) {
  const rows = useMemo(() => galleryRows(nowMs), [nowMs]);
  return (
    <GallerySection name="filters">
      {CASES.map(({ name, view }) => (
        <Specimen key={name} name={name} opens="yes">
          <Case change={view} rows={rows} />
        </Specimen>
      ))}
      <Specimen name="Recent searches">
        <div className={classes.under}>
          <RecentSearches
            queries={[`0x${'ab'.repeat(32)}`, SENDER, '18446744073709551615']}
            onChoose={nothing}
            onLeave={nothing}
            onBlur={nothing}
          />
        </div>
      </Specimen>
    </GallerySection>
  );
}
