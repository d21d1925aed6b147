import 'server-only';
import { recogniseQuery } from '@/lib/core/log-query';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { formatIsoMillis, unixMillis } from '@/lib/core/time';
import { viewNowMs } from '@/lib/requests/view';
import { rangeMs } from '@/lib/requests/view-params';
import type { RequestsView } from '@/lib/requests/view-shape';
import { microsOfIso, type RowQuery } from '@/lib/store/queries/view-filter';
import type { OrderNames } from '@/lib/store/queries/view-order';
import type { IndexStore } from '@/lib/store/store';

/** A network by its id and the name that people know it by. */
export type NamedNetwork = { networkId: string; name: string };

/** A question to the index: a view with its moment and its keepers settled. */
export type AskedView = {
  query: RowQuery;
  names: OrderNames;
  /** Unix milliseconds: what was seen later is left out. */
  asofMs: number;
  /** The same as ISO text: as the view names it, where it does. */
  asof: string;
  /** Names of the keepers that are asked. */
  keepers: string[];
};

/** So long a view that is counted back from now stays the same one where nothing new came, in milliseconds. */
export const STEP_MS = 2000;

/**
 * What a view asks of the index now. Without keepers it is of the first one, and a range is counted back from `asof`, else from
 * now. Fails with `bad-request` for a keeper that is not there, and `unconfigured` where there is none at all.
 */
export function askedView(
  view: RequestsView,
  store: IndexStore,
  networks: readonly NamedNetwork[],
): Outcome<AskedView> {
  const all = store.keepers.map(({ name }) => name);
  if (all.length === 0) {
    return failed({ kind: 'unconfigured', service: 'logs', detail: 'LOGS_URL is not set.' });
  }
  const keepers = view.keepers.length === 0 ? all.slice(0, 1) : [...new Set(view.keepers)];
  const unknown = keepers.find((keeper) => !all.includes(keeper));
  if (unknown !== undefined) {
    return failed({ kind: 'bad-request', detail: `keeper must be one of ${all.join(', ')}.` });
  }
  const pinMs = store.pinMs(STEP_MS);
  const asofMs = viewNowMs(view, pinMs);
  const left = keepers.filter((keeper) => !isLeftOut(view, keeper));
  return ok({
    asofMs,
    asof: view.asof ?? formatIsoMillis(unixMillis(pinMs)),
    keepers,
    names: { networks, keepers: store.keepers },
    query: {
      view,
      keeperIds: left.length === 0 ? [] : store.keeperIds(left),
      allKeeperIds: store.keeperIds(),
      ...timeOf(view, asofMs),
      visibleUs: (view.asof === undefined ? undefined : microsOfIso(view.asof)) ?? pinMs * 1000,
      namedNetworks: namedLike(view.q, networks),
    },
  });
}

function isLeftOut(view: RequestsView, keeper: string): boolean {
  return view.not.some(({ column, value }) => column === 'keeper' && value === keeper);
}

function timeOf({ time }: RequestsView, asofMs: number): Pick<RowQuery, 'fromUs' | 'toUs'> {
  if (time.kind === 'all') return {};
  if (time.kind === 'last') return { fromUs: (asofMs - (rangeMs(time.range) ?? 0)) * 1000 };
  const [fromUs, toUs] = [time.from, time.to].map((side) =>
    side === undefined ? undefined : microsOfIso(side),
  );
  return { ...(fromUs === undefined ? {} : { fromUs }), ...(toUs === undefined ? {} : { toUs }) };
}

function namedLike(q: string, networks: readonly NamedNetwork[]): string[] {
  if (recogniseQuery(q).kind !== 'none') return [];
  const text = q.toLowerCase();
  return networks.filter(({ name }) => name.toLowerCase().includes(text)).map(({ networkId }) => networkId);
}
