import { type RunningSandbox, SANDBOX_KEY, startSandbox } from '@/sandbox/start';
import type { Keeper } from './networks';

/** Real time of the sandboxes, which stands still. */
export const NOW = Date.UTC(2026, 10, 20, 8);
export const RECORDS = 1500;

export type Row = {
  chain_id: string;
  network_id: string;
  created_at: string;
  last_updated_at: string;
  gas_limit: string;
  provider: string;
  sender: string;
  request_block_number: number;
  request_tx_hash: string;
  sequence: number;
  state: Record<string, unknown> & { state: string };
  user_random_number: string;
};
export type List = { requests: Row[]; total_results: number };

export function identityOf(row: Row): string {
  return `${row.network_id}/${row.provider}/${row.sequence}/${row.request_tx_hash}/${row.user_random_number}`;
}

/** The state as the query parameter spells it. */
export function stateValue({ state }: Row): string {
  if (state.callback_failed === true) return 'CallbackErrored';
  return state.state.charAt(0).toUpperCase() + state.state.slice(1);
}

/** A sandbox over HTTP, whose real time stands still. */
export class LogHarness {
  private constructor(readonly sandbox: RunningSandbox) {}

  static async start(): Promise<LogHarness> {
    return new LogHarness(await startSandbox({ port: 0, seed: 11, records: RECORDS, now: () => NOW }));
  }

  get(keeper: Keeper, path: string, headers: Record<string, string> = {}): Promise<Response> {
    const authorization = `Bearer ${SANDBOX_KEY}`;
    return fetch(`${this.sandbox.addresses.logs[keeper]}${path}`, { headers: { authorization, ...headers } });
  }

  /** Fails the test on an error. */
  async list(keeper: Keeper, query: string): Promise<List> {
    return (await answered(await this.get(keeper, `/v1/logs?${query}`))) as List;
  }

  async all(keeper: Keeper, filter = ''): Promise<Row[]> {
    const rows: Row[] = [];
    for (;;) {
      const { requests } = await this.list(keeper, `${filter}&limit=1000&offset=${rows.length}`);
      rows.push(...requests);
      if (requests.length < 1000) return rows;
    }
  }

  /** Fails the test on an error. */
  async control(method: string, path: string, value?: unknown): Promise<unknown> {
    const response = await fetch(`${this.sandbox.addresses.control}${path}`, {
      method,
      body: value === undefined ? undefined : JSON.stringify(value),
      headers: { 'content-type': 'application/json' },
    });
    return answered(response);
  }
}

async function answered(response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text);
}
