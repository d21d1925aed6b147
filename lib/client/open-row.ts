'use client';
import { useQuery } from '@tanstack/react-query';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { readLogPage } from '@/lib/domain/request-record';
import { fetchGatewayText } from './gateway';

/** The parts of a row's key; undefined where it is not the key of a readable row. */
export function readRowKey(key: string): { keeper: string; networkId: string; sequence: string } | undefined {
  const match = /^([^/]+)\/(\d+)\/[^/]*\/(-?\d+)\//.exec(key);
  const [, keeper, networkId, sequence] = match ?? [];
  if (keeper === undefined || networkId === undefined || sequence === undefined) return undefined;
  return { keeper, networkId, sequence };
}

async function fetchRow(key: string, signal: AbortSignal): Promise<Outcome<ListedRow>> {
  const parts = readRowKey(key);
  const none = failed({
    kind: 'missing' as const,
    service: 'logs' as const,
    detail: 'No such request in the log.',
  });
  if (parts === undefined) return none;
  const { keeper, networkId, sequence } = parts;
  const query = new URLSearchParams({ keeper, network_id: networkId, query: sequence, limit: '100' });
  const text = await fetchGatewayText(`/api/logs/v1/logs?${query}`, signal);
  const page = text.ok ? readLogPage(text.value) : text;
  if (!page.ok) return page;
  const row = page.value.rows.find((one) => `${keeper}/${one.key}` === key);
  return row === undefined ? none : ok({ ...row, keeper, key });
}

/** What is known of the row that a link opens. */
export type OpenRow =
  | { kind: 'none' }
  | { kind: 'loading' }
  | { kind: 'row'; row: ListedRow }
  | { kind: 'trouble'; failure: Failure };

/** The row of a key: the one on the page where it is there, else asked for by its number. */
export function useOpenRow(key: string | undefined, rows: readonly ListedRow[]): OpenRow {
  const onPage = key === undefined ? undefined : rows.find((row) => row.key === key);
  const { data } = useQuery({
    queryKey: ['open-row', key],
    queryFn: ({ signal }) => fetchRow(key ?? '', signal),
    enabled: key !== undefined && onPage === undefined,
    staleTime: 10_000,
  });
  if (key === undefined) return { kind: 'none' };
  if (onPage !== undefined) return { kind: 'row', row: onPage };
  if (data === undefined) return { kind: 'loading' };
  return data.ok ? { kind: 'row', row: data.value } : { kind: 'trouble', failure: data.failure };
}
