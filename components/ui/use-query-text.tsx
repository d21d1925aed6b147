'use client';
import { useSearchParams } from 'next/navigation';
import { parseAsNativeArrayOf, parseAsString, useQueryStates } from 'nuqs';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { type ReactNode, useCallback, useMemo } from 'react';

/** `push` adds a history entry. `replace` is for small steps such as typing. */
export type HistoryStep = 'push' | 'replace';

/** `change` is given the latest query, which may not be rendered yet. */
type ChangeQuery = (change: (now: URLSearchParams) => URLSearchParams, as: HistoryStep) => void;

const paramsOf = (query: Record<string, string[]>) =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) => values.map((value) => [name, value])),
  );

export const pickParams = (params: URLSearchParams, names: readonly string[]) =>
  new URLSearchParams([...params].filter(([name]) => names.includes(name)));

type ProviderProps = { canonical: (params: URLSearchParams) => URLSearchParams; children: ReactNode };

/** Parameters that the `canonical` form drops are removed from the URL. */
export function QueryProvider({ canonical, children }: ProviderProps) {
  return <NuqsAdapter processUrlSearchParams={canonical}>{children}</NuqsAdapter>;
}

/** The URL may have other parameters than `names`; they are part of the text too, and the next change removes them. */
export function useQueryText(names: readonly string[]): { query: string; change: ChangeQuery } {
  const parsers = useMemo(
    () => Object.fromEntries(names.map((name) => [name, parseAsNativeArrayOf(parseAsString)])),
    [names],
  );
  const [parsed, setParsed] = useQueryStates(parsers);
  const params = paramsOf(parsed);
  const current = useSearchParams();
  for (const [name, value] of current ?? []) if (!names.includes(name)) params.append(name, value);
  const change: ChangeQuery = useCallback(
    (next, as) =>
      void setParsed(
        (now) => {
          const params = next(paramsOf(now));
          return Object.fromEntries(names.map((name) => [name, params.getAll(name)]));
        },
        { history: as },
      ),
    [names, setParsed],
  );
  return { query: params.toString(), change };
}
