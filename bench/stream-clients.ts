import { type ChildProcess, fork } from 'node:child_process';

/** When each client got an update, unix ms, by the update's number. */
export type Arrivals = { seq: number; times: number[] }[];

export type ClientsReport = {
  arrivals: Arrivals;
  /** Updates that a client missed or got twice, by their numbers, since it connected. */
  wrong: number;
  /** Clients that are still connected. */
  live: number;
};

type Order = { do: 'open'; url: string; count: number } | { do: 'count' | 'report' | 'close' };

/** A process that plays very many readers of an event stream. */
export class StreamClients {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork('bench/stream-clients.mjs', { serialization: 'advanced' });
    process.once('exit', () => this.#child.kill());
  }

  /** Connects so many more; over when each of them has its snapshot. */
  async open(url: string, count: number): Promise<void> {
    await this.#tell({ do: 'open', url, count });
  }

  /** Notes from now on when updates come. */
  async count(): Promise<void> {
    await this.#tell({ do: 'count' });
  }

  async report(): Promise<ClientsReport> {
    return (await this.#tell({ do: 'report' })) as ClientsReport;
  }

  async close(): Promise<void> {
    await this.#tell({ do: 'close' });
  }

  end(): void {
    this.#child.kill();
  }

  #tell(order: Order): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#child.once('message', (answer: { done: unknown } | { failed: string }) => {
        if ('failed' in answer) reject(new Error(`${order.do}: ${answer.failed}`));
        else resolve(answer.done);
      });
      this.#child.send(order);
    });
  }
}
