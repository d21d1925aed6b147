import { once } from 'node:events';
import { type ClientRequest, get } from 'node:http';

const CONNECTING_AT_ONCE = 64;
/** Bytes that contain the id and name of an event. */
const HEAD_BYTES = 72;
const EVENT = /^id: [^.\s]+\.(\d+)\nevent: (\w+)\n/;

export type ClientsReport = {
  /** Arrivals at each client, unix ms, by the update's number. */
  arrivals: Map<number, number[]>;
  /** Updates that a client missed or got twice since it connected. */
  wrong: number;
  live: number;
};

/**
 * Clients that parse only the first bytes of each event, so that the server is measured. Servers write one event as one
 * chunk.
 */
export class StreamClients {
  readonly #live = new Set<ClientRequest>();
  #wrong = 0;
  #arrivals: Map<number, number[]> | undefined;

  /** Resolves when each client has its snapshot. */
  async open(url: string, count: number): Promise<void> {
    let left = count;
    const connect = async () => {
      while (left-- > 0) await this.#connect(url);
    };
    await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, connect));
  }

  count(): void {
    this.#arrivals = new Map();
  }

  report(): ClientsReport {
    const arrivals = this.#arrivals ?? new Map();
    this.#arrivals = undefined;
    return { arrivals, wrong: this.#wrong, live: this.#live.size };
  }

  async close(): Promise<void> {
    const closed = [...this.#live].map((request) => once(request.destroy(), 'close'));
    await Promise.all(closed);
    this.#wrong = 0;
  }

  #connect(url: string): Promise<void> {
    return new Promise((resolve, reject) => {
      let seen = '';
      let last: number | undefined;
      const receive = (bytes: Buffer) => {
        if (seen.length < HEAD_BYTES) seen += bytes.toString('latin1', 0, HEAD_BYTES - seen.length);
        // A chunk was split.
        if (!bytes.subarray(-2).equals(EVENT_END.subarray(-bytes.length))) return;
        const [, digits, name] = EVENT.exec(seen) ?? [];
        seen = '';
        if (name === 'snapshot') resolve();
        if (name !== 'update') return;
        const seq = Number(digits);
        if (last !== undefined && seq !== last + 1) this.#wrong += Math.max(1, seq - last - 1);
        last = seq;
        const times = this.#arrivals?.get(seq) ?? [];
        times.push(performance.timeOrigin + performance.now());
        this.#arrivals?.set(seq, times);
      };
      const request = get(url, { agent: false }, (response) => {
        if (response.statusCode !== 200) request.destroy();
        response.on('data', receive);
      });
      this.#live.add(request);
      request.once('error', reject);
      request.once('close', () => {
        this.#live.delete(request);
        reject(new Error(`${url} closed a stream`));
      });
    });
  }
}

const EVENT_END = Buffer.from('\n\n');
