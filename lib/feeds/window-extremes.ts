import { compareScaled, type ScaledInteger } from '@/lib/core/numbers';

type Kept = { readonly atMs: number; readonly price: ScaledInteger };

/** Half an hour of five prices a second that only rise has fewer; at the bound the oldest go. */
const MOST_KEPT = 10_000;

/** The lowest and the highest price of the last while, exact. Costs the same for each price, however long the window. */
export class WindowExtremes {
  /** Times ascending, prices ascending (`#lows`) or descending: only what may still become the extreme is kept. */
  readonly #lows: Kept[] = [];
  readonly #highs: Kept[] = [];

  constructor(private readonly windowMs: number) {}

  /** Times do not go back; one that does counts as the time of the one before. */
  add(atMs: number, price: ScaledInteger): void {
    this.#keep(this.#lows, { atMs, price }, 1);
    this.#keep(this.#highs, { atMs, price }, -1);
  }

  /** Of the window that ends at `nowMs`; undefined where no price is in it. */
  read(nowMs: number): { readonly lowest: ScaledInteger; readonly highest: ScaledInteger } | undefined {
    const since = nowMs - this.windowMs;
    drop(this.#lows, since);
    drop(this.#highs, since);
    const lowest = this.#lows[0]?.price;
    const highest = this.#highs[0]?.price;
    return lowest === undefined || highest === undefined ? undefined : { lowest, highest };
  }

  #keep(kept: Kept[], one: Kept, sign: 1 | -1): void {
    const nowMs = Math.max(one.atMs, kept.at(-1)?.atMs ?? one.atMs);
    let last = kept.at(-1);
    while (last !== undefined && compareScaled(one.price, last.price) * sign <= 0) {
      kept.pop();
      last = kept.at(-1);
    }
    kept.push({ ...one, atMs: nowMs });
    drop(kept, nowMs - this.windowMs);
    if (kept.length > MOST_KEPT) kept.splice(0, kept.length - MOST_KEPT);
  }
}

function drop(kept: Kept[], sinceMs: number): void {
  const first = kept.findIndex(({ atMs }) => atMs >= sinceMs);
  kept.splice(0, first === -1 ? kept.length : first);
}
