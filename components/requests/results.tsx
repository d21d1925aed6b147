'use client';
import { viewKeyOf } from '@/lib/client/requests';
import { useSteadyWords } from '@/lib/client/time-style';
import type { Network } from '@/lib/domain/network';
import type { ColumnLayout } from '@/lib/requests/columns';
import type { RequestsView } from '@/lib/requests/view';
import { describeTotal } from './describe-view';
import { Histogram } from './histogram';
import { NetworksProvider } from './networks-context';
import { OpenRequest } from './open-request';
import { Pager } from './pager';
import { ResultNotes } from './result-notes';
import { ResultRows } from './result-rows';
import classes from './results.module.css';
import { Summary } from './summary';
import { TroubleNotice } from './trouble-notice';
import { type RequestsSeed, seedOf } from './use-requests';
import type { ShowView } from './use-requests-view';
import type { Results as Known } from './use-results';
import { type TableActions, useTableActions } from './use-table-actions';
import { waysFrom } from './ways';

type Props = {
  view: RequestsView;
  seed: RequestsSeed;
  known: Known;
  /** Those that can be chosen, whatever the rows are. */
  networks: readonly Network[];
  keepers: readonly string[];
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  show: ShowView;
};

function networkName(networks: readonly Network[], networkId: string): string {
  return networks.find((network) => network.networkId === networkId)?.name ?? `network ${networkId}`;
}

function useTotalWords({ view, known, keepers }: Props): string {
  const moment = useSteadyWords();
  const { page, trouble, networks } = known;
  if (page === undefined) return trouble === undefined ? 'Loading requests…' : 'Number of requests not known';
  const keeper = keepers.length < 2 ? undefined : (view.keepers[0] ?? keepers[0]);
  const network = (id: string) => networkName(networks, id);
  return describeTotal(page.total, page.view, { network, keeper, moment });
}

function Trouble({ view, known, keepers }: Props) {
  const { trouble, page, refresh } = known;
  if (trouble === undefined) return null;
  const keeper = keepers.length < 2 ? undefined : (view.keepers[0] ?? keepers[0]);
  return (
    <TroubleNotice
      trouble={trouble}
      page={page}
      viewKey={viewKeyOf(view)}
      keeper={keeper}
      onRetry={refresh}
    />
  );
}

/** The rows with what is said about them, and beside them the request that is open. */
function Rows(props: Props & { actions: TableActions }) {
  const { view, seed, known, keepers, layout, onLayout, show, actions } = props;
  const { page, followed } = known;
  const notice = known.trouble === undefined ? null : <Trouble {...props} />;
  return (
    <div className={classes.split}>
      {/* What appears below the rows moves none of them. */}
      <div ref={known.area} className={classes.area}>
        <ResultRows
          answer={known.answer}
          first={seedOf(seed, viewKeyOf(view))}
          view={view}
          keepers={keepers}
          show={show}
          notice={page === undefined ? notice : null}
          table={{
            marks: followed.marks,
            layout,
            onLayout,
            openKey: view.open,
            networks: known.networks,
            ...actions,
          }}
        />
        <div className={classes.notices}>
          {page === undefined ? null : notice}
          {page === undefined ? null : <ResultNotes view={view} page={page} />}
        </div>
      </div>
      <OpenRequest open={known.open} rows={known.rows} networks={known.networks} onOpen={actions.onOpen} />
    </div>
  );
}

/** Everything that depends on the service's answer. The frame stands there before it, and only the rows come later. */
export function Results(props: Props) {
  const { view, known, networks, keepers, layout, onLayout, show } = props;
  const { page } = known;
  const actions = useTableActions(view, networks, keepers, show);
  return (
    <NetworksProvider networks={known.networks}>
      <Histogram view={view} listing={page} trouble={known.trouble} show={show} />
      <Summary
        view={view}
        total={useTotalWords(props)}
        page={page}
        newRows={known.newRows}
        followed={known.followed}
        layout={layout}
        onLayout={onLayout}
        onSort={actions.onSort}
        show={show}
        onRefresh={known.refresh}
        activity={known.activity}
      />
      <Rows {...props} actions={actions} />
      <Pager
        page={view.page}
        size={view.size}
        {...waysFrom(page?.viewKey === viewKeyOf(view) ? page : undefined, view, show)}
      />
    </NetworksProvider>
  );
}
