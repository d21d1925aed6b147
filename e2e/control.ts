/** Requests a minute: one every few seconds or, with few records, every few minutes. */
const TEST_REQUESTS_PER_MIN = 30;

export type Control = {
  /** Resets orders and the rate of live requests. */
  reset(): Promise<void>;
  /** Sets the rate of new requests; null: the rate of the sandbox's own past. */
  live(requestsPerMin?: number | null): Promise<void>;
  fault(fault: {
    service: string;
    route?: string;
    fault: Record<string, unknown>;
    count?: number;
    forMs?: number;
  }): Promise<void>;
  noFaults(): Promise<void>;
  /** Recorded calls, without background calls of the dashboard. */
  calls(service: string, route?: string): Promise<{ total: number; calls: RecordedCall[] }>;
  everyCall(service: string, route?: string): Promise<{ total: number; calls: RecordedCall[] }>;
  forgetCalls(): Promise<void>;
  clock(change: { set?: string; speed?: number; stopped?: boolean }): Promise<void>;
  dialect(logs: 'text' | 'number'): Promise<void>;
  generation(generation: 'after' | 'before'): Promise<void>;
  /** Raw JSON text, prepended to the log list byte for byte. */
  rows(keeper: 'main' | 'test', rows: string[]): Promise<void>;
  /** `reset` undoes the order. */
  logs(keeper: 'main' | 'test', order: LogOrder): Promise<{ at: string }>;
  /** Null: the usual balance. */
  wallet(networkId: string, wei: bigint | null): Promise<void>;
  /** A scenario of `GET /control`; `reset` ends it. */
  scenario(name: string): Promise<Scenario>;
};

/** `GET /control` lists the kinds with their fields. */
type LogOrder = { kind: string; [field: string]: unknown };

type StuckRequest = { sequence: number; request_tx_hash: string; sender: string; created_at: string };

/** The state of the sandbox when it was set. Times are ISO; members that end in Ms are milliseconds. */
export type Scenario = {
  name: string;
  /** Networks in the order of the incidents. */
  networks: string[];
  /** All stuck requests. */
  rows: number;
  incidents: {
    rule: string;
    keeper: 'main' | 'test';
    network_id: string;
    chain_id: string;
    provider: string;
    pending: number;
    senders: number;
    since: string;
    /** Oldest first, 50 at most. */
    requests: StuckRequest[];
    /** Completed, with the same sequence. */
    twins: StuckRequest[];
  }[];
};

type RecordedCall = { method: string; path: string; query: string; headers: Record<string, string> };

/**
 * An answer other than 2xx fails the test. `onOrder` gets the scope of each order, and whether a service then makes
 * its callers back off.
 */
export function controlOf(
  sandbox: string,
  onOrder: (about: 'faults' | 'faults of prices' | 'all', keepsAway: boolean) => void = () => undefined,
): Control {
  const send = async (method: string, path: string, body?: unknown) => {
    if (method !== 'GET' && path !== '/calls') onOrder(cleanupOf(path, body), keepsAway(body));
    const response = await fetch(`${sandbox}/control${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} /control${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const everyCall = (service: string, route?: string): Promise<{ total: number; calls: RecordedCall[] }> =>
    send('GET', `/calls?service=${service}${route ? `&route=${route}` : ''}`);
  const live = (requestsPerMin: number | null = TEST_REQUESTS_PER_MIN) =>
    send('POST', '/live', { requestsPerMin });
  return {
    reset: async () => {
      await send('POST', '/reset', {});
      await live();
    },
    live,
    fault: (fault) => send('POST', '/faults', fault),
    noFaults: () => send('DELETE', '/faults'),
    calls: async (service, route) => {
      const { calls } = await everyCall(service, route);
      const waited = calls.filter(({ headers }) => headers['user-agent'] !== 'keeperscope (background)');
      return { total: waited.length, calls: waited };
    },
    everyCall,
    forgetCalls: () => send('DELETE', '/calls'),
    clock: (change) => send('POST', '/clock', change),
    dialect: (logs) => send('POST', '/dialect', { logs }),
    generation: (generation) => send('POST', '/generation', { generation }),
    rows: (keeper, rows) => send('POST', '/rows', { keeper, rows }),
    logs: (keeper, order) => send('POST', '/logs', { keeper, order }),
    wallet: (networkId, wei) =>
      send('POST', '/wallet', { network_id: networkId, wei: wei === null ? null : String(wei) }),
    scenario: (name) => send('POST', '/scenario', { name }),
  };
}

/** Faults, those of the price services alone, or everything by a reset. */
function cleanupOf(path: string, body: unknown): 'faults' | 'faults of prices' | 'all' {
  if (path !== '/faults') return 'all';
  const { service = '' } = (body ?? {}) as { service?: string };
  return service === '*' || service.startsWith('logs') ? 'faults' : 'faults of prices';
}

/** A rejected key, and statuses that may name a pause. */
const BACKOFF_STATUSES = [401, 403, 429, 503];

function keepsAway(body: unknown): boolean {
  const { fault } = (body ?? {}) as { fault?: { status?: number } };
  return BACKOFF_STATUSES.includes(fault?.status ?? 0);
}
