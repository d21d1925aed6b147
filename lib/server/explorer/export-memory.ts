import 'server-only';
import { processWide } from '@/lib/server/process-wide';

/**
 * Identities that all exports of the process remember together: some 100 bytes each. A row is remembered twice, by its part
 * and by the list, so this is 300,000 rows of one moment; no keeper logs so many within a second.
 */
export const MOST_REMEMBERED = 600_000;

/** What all exports under way in this process remember of rows, as a number of identities. */
export class RowMemory {
  #held = 0;

  constructor(readonly most: number = MOST_REMEMBERED) {}

  /** Identities that are remembered now. */
  get held(): number {
    return this.#held;
  }

  /** The part of one export, which has to end it. */
  share(): MemoryShare {
    return new MemoryShare(this, (change) => {
      this.#held += change;
    });
  }
}

/** What one export remembers. */
export class MemoryShare {
  #own = 0;
  #isOver = false;

  constructor(
    readonly memory: RowMemory,
    private readonly count: (change: number) => void,
  ) {}

  /** Identities of this export. */
  get own(): number {
    return this.#own;
  }

  hasRoomFor(identities: number): boolean {
    return this.memory.held + identities <= this.memory.most;
  }

  /** Counts what is remembered or forgotten; after the end nothing. */
  add(change: number): void {
    if (this.#isOver) return;
    this.#own += change;
    this.count(change);
  }

  /** Gives everything back, any number of times. */
  end(): void {
    this.add(-this.#own);
    this.#isOver = true;
  }
}

/** Identities of rows in the order in which they were taken, each counted in a share. */
export class RememberedRows {
  readonly #times = new Map<string, number>();

  constructor(private readonly share: MemoryShare) {}

  get size(): number {
    return this.#times.size;
  }

  has(identity: string): boolean {
    return this.#times.has(identity);
  }

  /** @param ms when the row was created, unix milliseconds */
  add(identity: string, ms: number): void {
    if (!this.#times.has(identity)) this.share.add(1);
    this.#times.set(identity, ms);
  }

  /** Forgets the rows newer than `ms` that come before the first that is not. */
  forgetNewerThan(ms: number): void {
    for (const [identity, rowMs] of this.#times) {
      if (rowMs <= ms) return;
      this.#forget(identity);
    }
  }

  forgetOldest(): void {
    const [oldest] = this.#times.keys();
    if (oldest !== undefined) this.#forget(oldest);
  }

  #forget(identity: string): void {
    this.#times.delete(identity);
    this.share.add(-1);
  }
}

const kept = processWide<RowMemory>('export-row-memory');

export function exportRowMemory(): RowMemory {
  const memory = kept.get() ?? new RowMemory();
  kept.set(memory);
  return memory;
}
