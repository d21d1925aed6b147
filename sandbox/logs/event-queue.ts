/** Something that happens to a row at a time. */
export type RowEvent = { ms: number; row: number; state: number };

/** Events by time (a binary heap). It holds at most one event for each row that is not at its end. */
export class EventQueue {
  private readonly heap: RowEvent[] = [];

  push(event: RowEvent): void {
    const { heap } = this;
    let place = heap.length;
    heap.push(event);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (!parent || parent.ms <= event.ms) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = event;
  }

  /** Forgets the events of all rows from `row` on. */
  cut(row: number): void {
    const kept = this.heap.filter((event) => event.row < row);
    this.heap.length = 0;
    for (const event of kept) this.push(event);
  }

  /** Takes out the earliest event, if its time is at or before `ms`. */
  popUntil(ms: number): RowEvent | undefined {
    const { heap } = this;
    const first = heap[0];
    if (!first || first.ms > ms) return undefined;
    const last = heap.pop();
    if (last && heap.length > 0) this.sink(last);
    return first;
  }

  /** Puts an event where the earliest was, and restores the order. */
  private sink(event: RowEvent): void {
    const { heap } = this;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      const left = heap[below];
      const right = heap[below + 1];
      if (left && right && right.ms < left.ms) below += 1;
      const child = heap[below];
      if (!child || child.ms >= event.ms) break;
      heap[place] = child;
      place = below;
    }
    heap[place] = event;
  }
}
