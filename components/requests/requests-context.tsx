'use client';
import { type CSSProperties, createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { type HistoryStep, QueryProvider, useQueryText } from '@/components/ui/use-query-text';
import { addressRefusal } from '@/lib/core/address-limit';
import type { Network } from '@/lib/core/network';
import { networkColour } from '@/lib/core/network-colour';
import { clipped, type UrlProblem } from '@/lib/core/text';
import { viewKeyOf } from '@/lib/requests/load';
import type { RequestsView } from '@/lib/requests/view';
import { formatRequestsUrl, parseRequestsUrl, REQUESTS_PARAMS } from '@/lib/requests/view-url';
import classes from './table.module.css';
import { usePrefetch } from './use-results';

/** `change` is given the view that was chosen last, which may not be rendered yet. */
type ShowView = (change: (view: RequestsView) => RequestsView, as: HistoryStep) => void;

/** The default keeper comes first. */
type Sources = { keepers: readonly string[]; networks: readonly Network[] };
type Requests = Sources & {
  view: RequestsView;
  problems: readonly UrlProblem[];
  /** The reason why the last change was refused; undefined if it was made. */
  refusal: string | undefined;
  show: ShowView;
};

const RequestsContext = createContext<Requests | undefined>(undefined);

export function useRequests(): Requests {
  const requests = useContext(RequestsContext);
  if (requests === undefined) throw new Error('outside of the log table');
  return requests;
}

const searchParamsOf = (view: RequestsView) => new URLSearchParams(formatRequestsUrl(view).split('?')[1]);

const canonicalQuery = (params: URLSearchParams) => searchParamsOf(parseRequestsUrl(params).view);

export function RequestsProvider({ children, ...sources }: Sources & { children: ReactNode }) {
  return (
    <QueryProvider canonical={canonicalQuery}>
      <WithView {...sources}>{children}</WithView>
    </QueryProvider>
  );
}

function WithView({ children, keepers, networks }: Sources & { children: ReactNode }) {
  const { query, change: changeQuery } = useQueryText(REQUESTS_PARAMS);
  const prefetch = usePrefetch();
  const [refusal, refuse] = useState<string>();
  // Memoised by the query, because the router reports each change twice.
  const requests = useMemo((): Requests => {
    const show: ShowView = (change, as) =>
      changeQuery((query) => {
        const current = parseRequestsUrl(query).view;
        const next = change(current);
        const [before, after] = [formatRequestsUrl(current), formatRequestsUrl(next)];
        // A change that shortens a URL over the limit is always allowed.
        const tooLong = after.length < before.length ? undefined : addressRefusal(after);
        refuse(tooLong);
        if (tooLong !== undefined) return query;
        if (viewKeyOf(next) !== viewKeyOf(current)) prefetch(next);
        return searchParamsOf(next);
      }, as);
    return { keepers, networks, ...parseRequestsUrl(new URLSearchParams(query)), refusal, show };
  }, [keepers, networks, query, refusal, changeQuery, prefetch]);
  return <RequestsContext value={requests}>{children}</RequestsContext>;
}

/** A single element, because a page has up to a thousand of them. */
export function NetworkName({ network: { networkId, name }, title }: { network: Network; title?: string }) {
  return (
    <bdi
      className={classes.network}
      style={{ '--colour': networkColour(networkId) } as CSSProperties}
      title={title}
    >
      {clipped(name, 100)}
    </bdi>
  );
}
