import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export type ClientsReport = {
  /** When each client got an update, unix ms, by the update's number. */
  arrivals: { seq: number; times: number[] }[];
  /** Updates that a client missed or got twice, by their numbers, since it connected. */
  wrong: number;
  /** Clients that are still connected. */
  live: number;
};

/** A process that plays very many readers of an event stream. */
export class StreamClients {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork('bench/stream-clients.mjs', { serialization: 'advanced' });
    process.once('exit', () => this.#child.kill());
  }

  /**
   * `open`: connects so many more; over when each of them has its snapshot. `count`: notes from now on when updates come.
   * `close`: ends them all.
   */
  async tell(order: 'open' | 'count' | 'report' | 'close', of: object = {}): Promise<unknown> {
    const answer = once(this.#child, 'message');
    this.#child.send({ do: order, ...of });
    const [{ done, failed }] = await answer;
    if (failed !== undefined) throw new Error(`${order}: ${failed}`);
    return done;
  }

  end(): void {
    this.#child.kill();
  }
}
