'use client';
import { Icon } from '@/components/ui/icons';
import { formatAge } from '@/lib/client/human-time';
import { useNetworksOf } from '@/lib/client/networks';
import { clockAheadMs, type LoadedRequests, pageCount, pinMoment, viewKeyOf } from '@/lib/client/requests';
import { type RequestsView, withFilter, withPage } from '@/lib/contract/codec/requests-url';
import type { Network } from '@/lib/domain/network';
import { describeTotal } from './describe-view';
import { NetworksProvider } from './networks-context';
import { Pager } from './pager';
import { ResultRows } from './result-rows';
import classes from './results.module.css';
import { Summary } from './summary';
import { TroubleNotice } from './trouble-notice';
import { type RequestsSeed, seedOf, useRequests } from './use-requests';
import type { ShowView } from './use-requests-view';

/** Below this a difference of clocks is not worth a line: it shows nowhere. */
const CLOCK_TOLERANCE_MS = 60_000;

const NO_ROWS: LoadedRequests['rows'] = [];

function ClockNotice({ page }: { page: LoadedRequests }) {
  const aheadMs = clockAheadMs(page);
  if (aheadMs < CLOCK_TOLERANCE_MS) return null;
  return (
    <p className={classes.clock}>
      <Icon name="clock" size={14} />
      The request log service’s clock is {formatAge(aheadMs)} ahead of this dashboard’s, so the ages of new
      requests stay at 0 s for so long.
    </p>
  );
}

function networkName(networks: readonly Network[], networkId: string): string {
  return networks.find((network) => network.networkId === networkId)?.name ?? `network ${networkId}`;
}

/** Where one can go from a page of rows; a direction without a page is undefined. */
function waysFrom(page: LoadedRequests | undefined, view: RequestsView, show: ShowView) {
  const pages = page === undefined ? undefined : pageCount(page.total, view.size);
  const mayGoOn = pages === undefined ? page?.rows.length === view.size : view.page < pages;
  const go = (number: number) => {
    const pinMs = page === undefined ? Date.now() : pinMoment(page);
    show(withPage(view, number, pinMs), 'push');
  };
  return {
    pages,
    onPrevious: view.page > 1 ? () => go(view.page - 1) : undefined,
    onNext: page !== undefined && mayGoOn ? () => go(view.page + 1) : undefined,
    onSize: (size: number) => show(withFilter(view, { size }), 'push'),
  };
}

type Props = {
  view: RequestsView;
  seed: RequestsSeed;
  networks: readonly Network[];
  /** Named only where several exist. */
  keeper: string | undefined;
  show: ShowView;
};

/** Everything that depends on the service's answer. The frame stands there before it, and only the rows come later. */
export function Results({ view, seed, networks, keeper, show }: Props) {
  const { data, isPlaceholderData, isFetching, refetch } = useRequests(view, seed);
  const page = data?.page;
  const trouble = isPlaceholderData ? undefined : data?.trouble;
  const viewKey = viewKeyOf(view);
  const isOwn = page?.viewKey === viewKey;
  const known = useNetworksOf(networks, page?.rows ?? NO_ROWS);
  const names = { network: (id: string) => networkName(known, id), keeper };
  const notKnown = trouble === undefined ? 'Loading requests…' : 'Number of requests not known';
  const refresh = () => void refetch();
  const notice =
    trouble === undefined ? null : (
      <TroubleNotice trouble={trouble} page={page} viewKey={viewKey} keeper={keeper} onRetry={refresh} />
    );
  return (
    <NetworksProvider networks={known}>
      <Summary
        view={view}
        total={page === undefined ? notKnown : describeTotal(page.total, page.view, names)}
        page={page}
        show={show}
        onRefresh={refresh}
        activity={isFetching ? 'fetching' : 'idle'}
      />
      {/* What appears below the rows moves none of them. */}
      <div className={classes.area}>
        <ResultRows
          answer={data}
          first={seedOf(seed, viewKey)}
          view={view}
          show={show}
          notice={page === undefined ? notice : null}
        />
        <div className={classes.notices}>
          {page === undefined ? null : notice}
          {page === undefined ? null : <ClockNotice page={page} />}
        </div>
      </div>
      <Pager page={view.page} size={view.size} {...waysFrom(isOwn ? page : undefined, view, show)} />
    </NetworksProvider>
  );
}
