import { OUTCOME, type Outcome } from './facts';
import type { LogIndex } from './log-index';
import { KEEPERS } from './networks';
import { type RowTable, STATE } from './row-table';

type Stuck = { row: number; outcome: Outcome; finishMs: number };

/** How long a request that was stuck has taken while it counts as completed. */
const TOOK_MS = 5000;

/**
 * What makes room for a scenario: the rows from `firstRow` on are taken out of the table and its index,
 * and the older ones that are still pending count as completed. `putBack` undoes both.
 */
export class SetAside {
  private readonly tail: RowTable;
  private readonly stuck: Stuck[];

  constructor(
    private readonly table: RowTable,
    private readonly index: LogIndex,
    private readonly firstRow: number,
  ) {
    index.cut(firstRow);
    this.tail = table.cut(firstRow);
    this.stuck = KEEPERS.flatMap((keeper) => {
      return index.page({ keeper, state: STATE.pending }, 0, Number.POSITIVE_INFINITY).rows;
    }).map((row) => ({ row, outcome: table.outcome(row), finishMs: table.finishAt(row) }));
    for (const { row } of this.stuck) {
      table.setEnd(row, OUTCOME.completed, table.createdAt(row) + TOOK_MS);
      index.change(row, STATE.completed);
    }
  }

  /** Drops what came behind `firstRow` meanwhile. Gives the rows that are back: pending, not yet in the index. */
  putBack(): number[] {
    const { table, index } = this;
    index.cut(this.firstRow);
    table.cut(this.firstRow);
    for (const { row, outcome, finishMs } of this.stuck) {
      table.setEnd(row, outcome, finishMs);
      index.change(row, STATE.pending);
    }
    return Array.from({ length: this.tail.length }, (_, place) => table.append(this.tail.stored(place)));
  }
}
