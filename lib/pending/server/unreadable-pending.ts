import 'server-only';
import type { Engine } from '@/lib/store/engine';
import { unreadableIds, unreadableIdsMentioningPending, unreadableState } from '@/lib/store/queries/evidence';

const BATCH = 500;

/** Each text is read once, because it may be long. While no such row comes or goes, only their number is queried. */
export class UnreadablePending {
  readonly #isPending = new Map<string, boolean>();
  #of = '';
  #count = 0;

  constructor(
    private readonly engine: Engine,
    private readonly keeperId: number,
  ) {}

  async count(): Promise<number> {
    const { rows, rev } = await unreadableState(this.engine, this.keeperId);
    const version = `${rows} ${rev}`;
    if (version === this.#of) return this.#count;
    const served = new Set(rows === 0 ? [] : await unreadableIds(this.engine, this.keeperId));
    for (const id of this.#isPending.keys()) if (!served.has(id)) this.#isPending.delete(id);
    const fresh = [...served].filter((id) => !this.#isPending.has(id));
    for (let start = 0; start < fresh.length; start += BATCH) {
      const batch = fresh.slice(start, start + BATCH);
      const pending = new Set(await unreadableIdsMentioningPending(this.engine, batch));
      for (const id of batch) this.#isPending.set(id, pending.has(id));
    }
    this.#count = [...this.#isPending.values()].filter(Boolean).length;
    this.#of = version;
    return this.#count;
  }
}
