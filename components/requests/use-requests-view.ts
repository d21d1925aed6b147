'use client';
import { useSearchParams } from 'next/navigation';
import { parseAsNativeArrayOf, parseAsString, useQueryStates } from 'nuqs';
import { useMemo } from 'react';
import { formatRequestsUrl, parseRequestsUrl, REQUESTS_PARAMS } from '@/lib/requests/view';
import type { RequestsView } from '@/lib/requests/view-shape';

/** `push`: Back returns to what was before. `replace`: one of many small steps, such as typing. */
export type HistoryStep = 'push' | 'replace';

/**
 * Changes the view. A change is given the view as it was chosen last: a page of rows takes a while to be drawn, and what
 * was chosen meanwhile would else be lost.
 */
export type ShowView = (change: (view: RequestsView) => RequestsView, as: HistoryStep) => void;

/** Every parameter by itself, as text; what they mean together only the codec of the view knows. */
const PARSERS = Object.fromEntries(
  REQUESTS_PARAMS.map((name) => [name, parseAsNativeArrayOf(parseAsString)]),
);

type Query = Record<string, string[]>;

function paramsOf(query: Query): URLSearchParams {
  return new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) => values.map((value) => [name, value])),
  );
}

function queryOf(view: RequestsView): Query {
  const params = new URLSearchParams(formatRequestsUrl(view).split('?')[1]);
  return Object.fromEntries(REQUESTS_PARAMS.map((name) => [name, params.getAll(name)]));
}

/** The query of a view as links write it: in one order, without what could not be read. For the adapter of nuqs. */
export function canonicalQuery(params: URLSearchParams): URLSearchParams {
  return new URLSearchParams(formatRequestsUrl(parseRequestsUrl(params).view).split('?')[1]);
}

/** The URL is the view: what it says, what of it can't be read, and how to change it. */
export function useRequestsView() {
  const given = useSearchParams();
  const [query, setQuery] = useQueryStates(PARSERS);
  const text = paramsOf(query).toString();
  const parsed = useMemo(() => parseRequestsUrl(new URLSearchParams(text)), [text]);
  const others = [...new Set(given?.keys())].filter((name) => !REQUESTS_PARAMS.includes(name));
  const unknown = parseRequestsUrl(
    new URLSearchParams(others.map((name) => [name, given?.get(name) ?? ''])),
  ).problems;
  const show: ShowView = (change, as) =>
    void setQuery((now) => queryOf(change(parseRequestsUrl(paramsOf(now)).view)), { history: as });
  return { view: parsed.view, problems: [...parsed.problems, ...unknown], show };
}
