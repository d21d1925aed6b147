import 'server-only';
import { type RecognisedQuery, recogniseQuery } from '@/lib/core/log-query';
import { type Outcome, ok } from '@/lib/core/outcome';
import type { LogRow } from '@/lib/core/request-record';
import { defaultRequestsView } from '@/lib/requests/view';
import { type IndexedRow, pageOfView } from '@/lib/store/queries/view-rows';
import type { IndexStore } from '@/lib/store/store';
import { member, rowsText } from './listing';
import type { AskService } from './one';
import { askedView } from './row-query';

/** Rows that a search shows; `total` counts all of them. */
const MOST_FOUND = 20;

type Search = Extract<RecognisedQuery, { canonical: string }>;

/**
 * A transaction, a sequence or an address, looked for in all that every keeper has. Where nothing is found, the services of
 * keepers whose history is not read to its end are asked too.
 * @returns the members of the answer as JSON texts: `kind`, `total`, `rows`, `complete` (nothing can be elsewhere) and
 *   `askedService`
 */
export async function found(store: IndexStore, text: string, ask: AskService): Promise<Outcome<string[]>> {
  const search = recogniseQuery(text);
  if (search.kind === 'empty' || search.kind === 'none') {
    const reason = search.kind === 'none' ? search.reason : undefined;
    return ok(answer(store, search.kind, [], 0, { complete: true, askedService: false, reason }));
  }
  const view = {
    ...defaultRequestsView(),
    q: search.canonical,
    time: { kind: 'all' } as const,
    keepers: store.keepers.map(({ name }) => name),
    size: MOST_FOUND,
  };
  const asked = askedView(view, store, []);
  if (!asked.ok) return asked;
  const { query, names } = asked.value;
  const page = await pageOfView(store.engine, query, names, { kind: 'offset', offset: 0 });
  const uncovered = store.status().filter(({ coversAll }) => !coversAll);
  if (page.total > 0 || uncovered.length === 0) {
    const complete = uncovered.length === 0;
    return ok(answer(store, search.kind, page.rows, page.total, { complete, askedService: false }));
  }
  const answers = await Promise.all(uncovered.map(({ keeper }) => ofService(store, keeper, search, ask)));
  const rows = answers.flatMap((one) => one ?? []);
  const complete = answers.every((one) => one !== undefined);
  return ok(
    answer(store, search.kind, rows.slice(0, MOST_FOUND), rows.length, { complete, askedService: true }),
  );
}

type Standing = { complete: boolean; askedService: boolean; reason?: string | undefined };

function answer(
  store: IndexStore,
  kind: RecognisedQuery['kind'],
  rows: readonly IndexedRow[],
  total: number,
  { complete, askedService, reason }: Standing,
): string[] {
  return [
    member('kind', kind),
    member('reason', reason),
    member('total', String(total)),
    `"rows":${rowsText(store, rows)}`,
    member('complete', complete),
    member('askedService', askedService),
  ];
}

/** Undefined where the service gives no answer. */
async function ofService(
  store: IndexStore,
  keeper: string,
  search: Search,
  ask: AskService,
): Promise<IndexedRow[] | undefined> {
  const page = await ask(keeper, `query=${search.canonical}&limit=${MOST_FOUND}`);
  if (!page.ok) return undefined;
  const [keeperId = 0] = store.keeperIds([keeper]);
  return page.value.rows.flatMap((row) =>
    isAbout(row, search) ? { keeperId, wire: row.rawJson, gone: false } : [],
  );
}

/** A service may look for the text wherever it stands. */
function isAbout(row: LogRow, { kind, canonical }: Search): boolean {
  if (row.kind !== 'record') return false;
  const { state } = row;
  const places = {
    transaction: [row.requestTxHash, state.kind === 'completed' ? state.revealTxHash : undefined],
    address: [row.sender, row.provider],
    sequence: [row.sequence],
  }[kind];
  return places.some((place) => place?.toLowerCase() === canonical);
}
