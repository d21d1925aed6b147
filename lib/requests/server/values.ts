import 'server-only';
import { type Outcome, ok } from '@/lib/core/outcome';
import type { ColumnValues } from '@/lib/requests/summary';
import type { RequestsView } from '@/lib/requests/view-shape';
import { valuesOfColumn } from '@/lib/store/queries/view-counts';
import type { IndexStore } from '@/lib/store/store';
import { askedView, type NamedNetwork } from './row-query';

export const VALUE_COLUMNS = ['sender', 'provider', 'failure'] as const;

const MOST_VALUES = 50;

/**
 * The most frequent values of a column in a view, whatever it has chosen of them.
 * @param find only values that hold this text
 */
export async function columnValues(
  store: IndexStore,
  view: RequestsView,
  networks: readonly NamedNetwork[],
  { column, find }: { column: ColumnValues['column']; find: string },
): Promise<Outcome<ColumnValues>> {
  const asked = askedView(view, store, networks);
  if (!asked.ok) return asked;
  const { values, distinct } = await valuesOfColumn(store.engine, asked.value.query, column, {
    find,
    limit: MOST_VALUES,
  });
  return ok({ column, values, more: distinct - values.length });
}
