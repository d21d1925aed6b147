'use client';
import { useSearchParams } from 'next/navigation';
import { parseAsNativeArrayOf, parseAsString, useQueryStates } from 'nuqs';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { useNow } from '@/components/ui/clock';
import { type Network, unknownNetwork } from '@/lib/core/network';
import { keepCookie } from '@/lib/core/time-text';
import { layoutCookie } from '@/lib/requests/column-layout';
import type { ColumnLayout } from '@/lib/requests/columns';
import { formatRequestsUrl, parseRequestsUrl, REQUESTS_PARAMS, type RequestsView } from '@/lib/requests/view';

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

const NetworksContext = createContext<ReadonlyMap<string, Network>>(new Map());

/** Gives the cells the names and explorers of networks, without building new columns when one more is known. */
export function NetworksProvider({
  networks,
  children,
}: {
  networks: readonly Network[];
  children: ReactNode;
}) {
  const byId = useMemo(() => new Map(networks.map((network) => [network.networkId, network])), [networks]);
  return <NetworksContext value={byId}>{children}</NetworksContext>;
}

/** All that are known here, by id. */
export function useNetworks(): ReadonlyMap<string, Network> {
  return useContext(NetworksContext);
}

/** The network of an id; an id that nobody knows is shown as it is. */
export function useNetwork(networkId: string): Network {
  return useNetworks().get(networkId) ?? unknownNetwork(networkId);
}

const RenderedAt = createContext(0);

/** Tells the cells when the server rendered, so that the first pass in the browser comes out the same. */
export const TableClockProvider = RenderedAt.Provider;

/** The time, unix milliseconds, once a second. */
export function useTableClock(): number {
  return useNow(useContext(RenderedAt));
}

/** The columns that this browser had last (`initial`, from the cookie that the server read), and how to keep others. */
export function useRememberedLayout(initial: ColumnLayout): [ColumnLayout, (layout: ColumnLayout) => void] {
  const [layout, setLayout] = useState(initial);
  const remember = (next: ColumnLayout) => {
    setLayout(next);
    keepCookie(document, layoutCookie(next));
  };
  return [layout, remember];
}
