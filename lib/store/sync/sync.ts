import 'server-only';
import { SerialQueue } from '@/lib/core/serial-queue';
import { realTimers } from '@/lib/core/timers';
import { KeeperSync, type SyncOptions, type SyncSource } from './keeper-sync';

type IndexSyncOptions = Pick<SyncOptions, 'store' | 'onError'> &
  Partial<Pick<SyncOptions, 'historyDays' | 'timers' | 'random'>> & { sources: readonly SyncSource[] };

export class IndexSync {
  #keepers: KeeperSync[] = [];
  #isStarted = false;
  #detach: (() => void) | undefined;
  readonly #restarts = new SerialQueue();

  constructor(private readonly options: IndexSyncOptions) {}

  /** Has no effect while the sync is running. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#keepers = this.#started();
    this.#detach = this.options.store.attachSync({
      lateBy: (name) => this.#keepers.find(({ keeper }) => keeper === name)?.lateBy ?? 'dashboard',
      wake: () => {
        for (const keeper of this.#keepers) keeper.wake();
      },
    });
  }

  /** Resolves when the history of all keepers has been read. */
  async caughtUp(): Promise<void> {
    await Promise.all(this.#keepers.map(({ caughtUp }) => caughtUp));
  }

  /** Deletes everything and reads it again. Resolves when all is read, or after `waitMs`. */
  async resync(waitMs: number): Promise<void> {
    const { timers = realTimers } = this.options;
    await this.#restarts.run(() => this.#restart());
    await new Promise<void>((resolve) => {
      const cancel = timers.after(waitMs, resolve);
      void this.caughtUp().then(() => {
        cancel();
        resolve();
      });
    });
  }

  async #restart(): Promise<void> {
    if (!this.#isStarted) return;
    const previous = this.#keepers;
    await this.#stop();
    // A new query must not share the answer of an identical old one, which has old rows.
    await Promise.all(previous.map((keeper) => keeper.idle()));
    try {
      await this.options.store.empty();
    } catch (error) {
      this.options.onError(error);
    }
    if (this.#isStarted) this.#keepers = this.#started();
  }

  /** Resolves when writing has ended. */
  async close(): Promise<void> {
    this.#isStarted = false;
    this.#detach?.();
    await Promise.all([this.#stop(), this.#restarts.idle]);
  }

  async #stop(): Promise<void> {
    const stopped = this.#keepers;
    this.#keepers = [];
    await Promise.all(stopped.map((keeper) => keeper.stop()));
  }

  #started(): KeeperSync[] {
    const { store, sources, historyDays, onError, timers = realTimers, random = Math.random } = this.options;
    return sources.flatMap(({ keeper: name, ...source }) => {
      const keeper = store.keepers.find((keeper) => keeper.name === name);
      if (keeper === undefined) return [];
      const sync = new KeeperSync({ ...source, store, keeper, historyDays, onError, timers, random });
      sync.start();
      return [sync];
    });
  }
}
