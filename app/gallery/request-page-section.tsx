'use client';
import { RequestPage } from '@/components/requests/request-page';
import { RequestPageSkeleton } from '@/components/requests/request-page-skeleton';
import type { ListedRecord } from '@/lib/client/related-requests';
import type { RequestLook } from '@/lib/client/request-lookup';
import type { AskedRequest } from '@/lib/client/request-path';
import { galleryRecord, NETWORKS } from './request-fixtures';
import { FAILURES } from './result-fixtures';
import { GallerySection, Specimen } from './specimen';
import { Still } from './still';

const KEEPERS = ['main', 'test'];

type Look = { name: string; asked: AskedRequest; look: RequestLook };

function askedFor({ networkId, sequence }: ListedRecord, more: Partial<AskedRequest> = {}): AskedRequest {
  return { networkId, sequence, keepers: [], ...more };
}

/** One that finished, twins of one number, and one that the service lists with two contents. */
function foundAt(nowMs: number): Look[] {
  const found = (rows: ListedRecord[]): RequestLook => ({ ...nothingAt(nowMs), rows });
  const completed = galleryRecord(nowMs, { ageS: 930, tookS: 2 });
  const twin = galleryRecord(nowMs, { tx: 'ef', ageS: 960 });
  const older = galleryRecord(nowMs, { ageS: 930 });
  const asked = askedFor(completed);
  return [
    { name: 'Found', asked, look: found([completed]) },
    { name: 'Several under one number', asked, look: found([completed, twin]) },
    {
      name: 'One of several, as the link asks',
      asked: askedFor(completed, { tx: twin.requestTxHash }),
      look: found([completed, twin]),
    },
    {
      name: 'None of them is what the link asks for',
      asked: askedFor(completed, { tx: `0x${'00'.repeat(32)}` }),
      look: found([completed, twin]),
    },
    { name: 'Several versions of one request', asked, look: found([completed, older]) },
  ];
}

function missingAt(nowMs: number): Look[] {
  const nothing = nothingAt(nowMs);
  const pending = galleryRecord(nowMs, { ageS: 200 });
  const asked = askedFor(pending, { keepers: KEEPERS });
  const troubleOf = (keeper: string, at: number, rowsOfMs?: number) => ({
    keeper,
    failure: FAILURES[at] ?? { kind: 'timeout' as const, detail: '' },
    attempts: 2,
    ...(rowsOfMs === undefined ? {} : { rowsOfMs }),
  });
  return [
    { name: 'Missing', asked, look: nothing },
    {
      name: 'Missing, one keeper does not serve the network',
      asked,
      look: { ...nothing, unserved: ['test'] },
    },
    { name: 'Failing', asked, look: { ...nothing, troubles: [troubleOf('main', 1), troubleOf('test', 2)] } },
    {
      name: 'Stale: found before, failing now',
      asked,
      look: { ...nothing, rows: [pending], troubles: [troubleOf('main', 0, nowMs - 60_000)] },
    },
  ];
}

function nothingAt(nowMs: number): RequestLook {
  return { atMs: nowMs, rows: [], unreadable: [], troubles: [], unserved: [] };
}

/** The page of one request, found or not. */
export function RequestPageSection({ nowMs }: { nowMs: number }) {
  return (
    <GallerySection name="request-page">
      {[...foundAt(nowMs), ...missingAt(nowMs)].map(({ name, asked, look }) => (
        <Specimen key={name} name={name}>
          <Still>
            <RequestPage asked={asked} first={look} keepers={KEEPERS} networks={NETWORKS} />
          </Still>
        </Specimen>
      ))}
      {/* The last one: under its title stands nothing that the next heading could be below. */}
      <Specimen name="Loading">
        <RequestPageSkeleton
          asked={{ networkId: '42161', sequence: '17', keepers: [] }}
          networks={NETWORKS.slice(0, 1)}
        />
      </Specimen>
    </GallerySection>
  );
}
