/** A fake request log service over real HTTP. Tests add, change and hide its rows. */
import type { ServerResponse } from 'node:http';
import type { Timers } from '@/lib/core/timers';
import { openTestEngine } from '@/lib/store/engine-fixture';
import { IndexStore } from '@/lib/store/store';
import { HttpService } from '@/lib/upstream/http-service';
import { createRequestLogClient } from '@/lib/upstream/request-log';
import { sendJson, startTestServer, type TestServer } from '@/lib/upstream/service-fixture';
import { IndexSync } from './sync';

export type FakeRow = {
  sequence: number;
  createdMs: number;
  state: 'pending' | 'failed' | 'completed' | 'callback-failed';
  /** Time of the last change, by default the time of creation. */
  updatedMs?: number;
  /** The fake service counts the row but never delivers it. */
  isUndelivered?: boolean;
};

const STATE_VALUES: Record<string, FakeRow['state']> = {
  Pending: 'pending',
  Failed: 'failed',
  Completed: 'completed',
  CallbackErrored: 'callback-failed',
};

const STATE_JSON: Record<FakeRow['state'], string> = {
  pending: '{"state":"pending"}',
  failed: '{"state":"failed","reason":"Reverted: 0x1c26714c"}',
  completed: '{"state":"completed","callback_failed":false,"gas_used":"21000"}',
  'callback-failed': '{"state":"completed","callback_failed":true,"gas_used":"21000"}',
};

export type FakeCall = { url: URL; limit: number; offset: number };

export class FastTimers implements Timers {
  readonly #start = performance.now();

  constructor(private readonly factor: number) {}

  now(): number {
    return Date.now();
  }

  elapsed(): number {
    return (performance.now() - this.#start) * this.factor;
  }

  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, ms / this.factor);
    return () => clearTimeout(timer);
  }
}

export class FakeKeeper {
  rows: FakeRow[] = [];
  calls: FakeCall[] = [];
  /** The service's clock. */
  nowMs: () => number;
  /** Added to the total of a listing without an end, as if the rows and the count were of different moments. */
  extraTotal = 0;
  maxTotal = Number.POSITIVE_INFINITY;
  /** Returns true if it answered in place of the fake service. */
  instead: ((response: ServerResponse, call: FakeCall) => boolean) | undefined;
  #server: TestServer | undefined;
  #sequence = 0;

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  async start(): Promise<this> {
    this.#server = await startTestServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const call = {
        url,
        limit: Number(url.searchParams.get('limit') ?? 1000),
        offset: Number(url.searchParams.get('offset') ?? 0),
      };
      this.calls.push(call);
      response.setHeader('date', new Date(this.nowMs()).toUTCString());
      if (this.instead?.(response, call) !== true) sendJson(response, this.#answer(call));
    });
    return this;
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  add(createdMs: number, state: FakeRow['state'] = 'completed', more: Partial<FakeRow> = {}): FakeRow {
    this.#sequence += 1;
    const row = { sequence: this.#sequence, createdMs, state, ...more };
    this.rows.push(row);
    return row;
  }

  #answer({ url, limit, offset }: FakeCall): string {
    const get = (name: string) => url.searchParams.get(name);
    const moment = (name: string) => Date.parse(get(name) ?? '');
    const fromMs = moment('min_timestamp');
    const toMs = moment('max_timestamp');
    const state = get('state');
    const matches = this.rows
      .filter(({ createdMs }) => !(createdMs < fromMs) && !(createdMs > toMs))
      .filter((row) => state === null || row.state === STATE_VALUES[state])
      .toSorted((a, b) => b.createdMs - a.createdMs || b.sequence - a.sequence);
    const extraTotal = Number.isNaN(toMs) ? this.extraTotal : 0;
    const page = matches.slice(offset, offset + limit).filter(({ isUndelivered }) => isUndelivered !== true);
    const total = Math.min(this.maxTotal, matches.length + extraTotal);
    return `{"requests":[${page.map(jsonOf).join(',')}],"total_results":${total}}`;
  }
}

function jsonOf({ sequence, createdMs, state, updatedMs = createdMs }: FakeRow): string {
  const created = new Date(createdMs).toISOString();
  const updated = new Date(updatedMs).toISOString();
  const hash = sequence.toString(16).padStart(64, '0');
  return (
    `{"chain_id":"base","network_id":"8453","created_at":"${created}","last_updated_at":"${updated}",` +
    `"gas_limit":"500000","provider":"0x${'ab'.repeat(20)}","sender":"0x${'cd'.repeat(20)}",` +
    `"request_block_number":1,"request_tx_hash":"0x${hash}","sequence":${sequence},` +
    `"state":${STATE_JSON[state]},"user_random_number":"00"}`
  );
}

export type RunningIndex = { store: IndexStore; sync: IndexSync; close(): Promise<void> };

export const FAKE_KEY = 'hush-key-of-the-keeper';

export type IndexOptions = {
  timers: Timers;
  /** File of the index; by default it is in memory. */
  path?: string;
  callsPerSecond?: number;
  historyDays?: number;
  /** Clock of the index, by default the keeper's. */
  nowMs?: () => number;
};

export async function indexOf(keeper: FakeKeeper, options: IndexOptions): Promise<RunningIndex> {
  const { timers, path, callsPerSecond, historyDays, nowMs = keeper.nowMs } = options;
  const engine = await openTestEngine({ path });
  const store = await IndexStore.open(engine, {
    keepers: [{ name: 'main', baseUrl: 'http://keeper' }],
    storage: 'memory',
    now: nowMs,
  });
  const http = new HttpService({
    service: 'logs',
    label: 'logs:main',
    baseUrl: keeper.url,
    apiKey: () => FAKE_KEY,
    callsPerSecond: 10_000,
    now: nowMs,
    timers,
    headersTimeoutMs: 3_600_000,
    totalTimeoutMs: 3_600_000,
  });
  const sync = new IndexSync({
    store,
    sources: [
      { keeper: 'main', client: createRequestLogClient(http), clockAheadMs: clockOf(http), callsPerSecond },
    ],
    historyDays,
    onError: (error) => {
      throw error;
    },
    timers,
  });
  sync.start();
  return {
    store,
    sync,
    async close() {
      await sync.close();
      await http.close();
      await store.close();
    },
  };
}

function clockOf(http: HttpService): () => number | undefined {
  return () => http.status().clock?.offByMs;
}

/** Rows that the service no longer has are left out. */
export async function storedRows({ store }: RunningIndex): Promise<Map<number, string>> {
  // One text for all rows, because tests poll often and would create thousands of objects each time.
  const [stored] = await store.engine.all<{ rows: string | null }>(
    `select string_agg(cast(sequence as text) || ' ' || state, ',' order by sequence) as rows
    from requests where gone_us is null`,
  );
  const rows = stored?.rows?.split(',') ?? [];
  return new Map(rows.map((row) => [Number.parseInt(row, 10), row.slice(row.indexOf(' ') + 1)]));
}

export function rowsOf(keeper: FakeKeeper): Map<number, string> {
  const delivered = keeper.rows.filter(({ isUndelivered }) => isUndelivered !== true);
  return new Map(
    delivered.toSorted((a, b) => a.sequence - b.sequence).map(({ sequence, state }) => [sequence, state]),
  );
}
