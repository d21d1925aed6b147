'use client';
import { useSearchParams } from 'next/navigation';
import { parseAsNativeArrayOf, parseAsString, useQueryStates } from 'nuqs';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { type ReactNode, useCallback, useMemo } from 'react';

/** `push`: Back returns to what was before. `replace`: one of many small steps, such as typing. */
export type HistoryStep = 'push' | 'replace';

/** Changes the query of the address. It is given what was chosen last, which may be ahead of what is drawn. */
export type ChangeQuery = (change: (now: URLSearchParams) => URLSearchParams, as: HistoryStep) => void;

const paramsOf = (query: Record<string, string[]>) =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) => values.map((value) => [name, value])),
  );

/** Only these parameters of a query. */
export const knownParams = (params: URLSearchParams, names: readonly string[]) =>
  new URLSearchParams([...params].filter(([name]) => names.includes(name)));

type ProviderProps = { canonical: (params: URLSearchParams) => URLSearchParams; children: ReactNode };

/** Where the query is used. @param canonical the query as links write it: what it leaves out leaves the address */
export function QueryProvider({ canonical, children }: ProviderProps) {
  return <NuqsAdapter processUrlSearchParams={canonical}>{children}</NuqsAdapter>;
}

/**
 * The query of the address as text, and how to change it: every parameter by itself, what they mean together is the codec's
 * of the view. @param names of all parameters that there are; others are in the text, and leave with the next change
 */
export function useQueryText(names: readonly string[]): { query: string; change: ChangeQuery } {
  const parsers = useMemo(
    () => Object.fromEntries(names.map((name) => [name, parseAsNativeArrayOf(parseAsString)])),
    [names],
  );
  const [known, setKnown] = useQueryStates(parsers);
  const params = paramsOf(known);
  const given = useSearchParams();
  for (const [name, value] of given ?? []) if (!names.includes(name)) params.append(name, value);
  const change: ChangeQuery = useCallback(
    (next, as) =>
      void setKnown(
        (now) => {
          const params = next(paramsOf(now));
          return Object.fromEntries(names.map((name) => [name, params.getAll(name)]));
        },
        { history: as },
      ),
    [names, setKnown],
  );
  return { query: params.toString(), change };
}
