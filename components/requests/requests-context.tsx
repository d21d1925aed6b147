'use client';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { useNow } from '@/components/ui/clock';
import { type HistoryStep, useQueryText } from '@/components/ui/use-query-text';
import { type Network, unknownNetwork } from '@/lib/core/network';
import { keepCookie } from '@/lib/core/time-text';
import { type ColumnLayout, layoutCookie } from '@/lib/requests/columns';
import { formatRequestsUrl, parseRequestsUrl, REQUESTS_PARAMS, type RequestsView } from '@/lib/requests/view';

/** Changes the view, as it was chosen last: a page of rows takes a while to be drawn. */
export type ShowView = (change: (view: RequestsView) => RequestsView, as: HistoryStep) => void;

const queryOf = (view: RequestsView) => new URLSearchParams(formatRequestsUrl(view).split('?')[1]);

/** The query of a view as links write it: in one order, without what could not be read. */
export const canonicalQuery = (params: URLSearchParams) => queryOf(parseRequestsUrl(params).view);

/** The URL is the view: what it says, what of it can't be read, and how to change it. */
export function useRequestsView() {
  const { query, change } = useQueryText(REQUESTS_PARAMS);
  const parsed = useMemo(() => parseRequestsUrl(new URLSearchParams(query)), [query]);
  const show: ShowView = (next, as) => change((now) => queryOf(next(parseRequestsUrl(now).view)), as);
  return { ...parsed, show };
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
