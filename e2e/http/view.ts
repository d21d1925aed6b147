import { expect } from 'vitest';

type Row = { network_id: string; sequence: number; request_tx_hash: string };
type Listed = { keeper: string; row: Row };
type View = {
  rows: Listed[];
  total: string;
  index: { coversAll: boolean; storage: string }[];
};

/** A sequence alone repeats. The state is excluded: pending requests keep being answered. */
export const identityOf = ({ keeper, row }: Listed) =>
  [keeper, row.network_id, row.sequence, row.request_tx_hash].join('/');

/** Newest rows of all time; those of the last minute may arrive between two answers. */
export const untilAMinuteAgo = () =>
  `size=100&from=2000-01-01T00:00:00.000Z&to=${new Date(Date.now() - 60_000).toISOString()}`;

export async function viewOf(origin: string, query: string): Promise<View> {
  const answer = await fetch(`${origin}/api/view/requests?${query}`);
  expect(answer.status).toBe(200);
  const { rows, ...rest } = await answer.json();
  const parsed = rows.map(({ keeper, row }: { keeper: string; row: string }) => ({
    keeper,
    row: JSON.parse(row),
  }));
  return { ...rest, rows: parsed };
}

/** The view, once the index has every row of the service. A start that waits for another process takes up to 60 s. */
export async function wholeView(origin: string, query: string): Promise<View> {
  const isWhole = async () => (await viewOf(origin, query)).index.every(({ coversAll }) => coversAll);
  await expect.poll(isWhole, { timeout: 90_000 }).toBe(true);
  return viewOf(origin, query);
}
