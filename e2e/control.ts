/** Live requests in the sandbox of a test: by itself it has one every few seconds or, with few records, every few minutes. */
const TEST_REQUESTS_PER_MIN = 30;

/** What a test can tell the sandbox over HTTP, and ask of it. */
export type Control = {
  /** Everything as after the start of a test's dashboard, the rate of live requests too. */
  reset(): Promise<void>;
  /** So many requests a minute from now on; null: as many as in the sandbox's own past. */
  live(requestsPerMin?: number | null): Promise<void>;
  fault(fault: {
    service: string;
    route?: string;
    fault: Record<string, unknown>;
    count?: number;
    forMs?: number;
  }): Promise<void>;
  noFaults(): Promise<void>;
  /** Calls that somebody waited for: none that the dashboard makes by itself. */
  calls(service: string, route?: string): Promise<{ total: number; calls: RecordedCall[] }>;
  /** Those that it makes by itself as well. */
  everyCall(service: string, route?: string): Promise<{ total: number; calls: RecordedCall[] }>;
  forgetCalls(): Promise<void>;
  clock(change: { set?: string; speed?: number; stopped?: boolean }): Promise<void>;
  dialect(logs: 'text' | 'number'): Promise<void>;
  generation(generation: 'after' | 'before'): Promise<void>;
  /** Rows as raw JSON text, put in front of the log list byte for byte. */
  rows(keeper: 'main' | 'test', rows: string[]): Promise<void>;
  /** Changes what becomes of the rows of one log service; `reset` undoes it. */
  logs(keeper: 'main' | 'test', order: LogOrder): Promise<{ at: string }>;
  /** Makes something go wrong in the log services, by a name that `GET /control` lists; `reset` ends it. */
  scenario(name: string): Promise<Scenario>;
};

/** What becomes of the rows of one log service; `GET /control` lists the kinds with their fields. */
type LogOrder = { kind: string; [field: string]: unknown };

type StuckRequest = { sequence: number; request_tx_hash: string; sender: string; created_at: string };

/** What a scenario made, as of the moment at which it was set. Times are ISO, members that end in Ms milliseconds. */
export type Scenario = {
  name: string;
  /** Network ids of what is wrong, in the order of `incidents`. */
  networks: string[];
  /** Stuck requests in all. */
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
    /** The stuck requests, oldest first, 50 at most. */
    requests: StuckRequest[];
    /** The completed ones with the same sequence. */
    twins: StuckRequest[];
  }[];
};

type RecordedCall = { method: string; path: string; query: string; headers: Record<string, string> };

/**
 * The controls of the sandbox at an origin; an answer that is not 2xx fails the test.
 * @param onOrder hears of every order that makes the sandbox another one than after its start: what it is about, and whether a
 *   service then tells who calls it to keep away
 */
export function controlOf(
  sandbox: string,
  onOrder: (about: 'faults' | 'faults of prices' | 'all', keepsAway: boolean) => void = () => undefined,
): Control {
  const send = async (method: string, path: string, body?: unknown) => {
    if (method !== 'GET' && path !== '/calls') onOrder(aboutOf(path, body), keepsAway(body));
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
    scenario: (name) => send('POST', '/scenario', { name }),
  };
}

/** What is to be taken back after an order: the faults, those of the price services alone, or everything by a reset. */
function aboutOf(path: string, body: unknown): 'faults' | 'faults of prices' | 'all' {
  if (path !== '/faults') return 'all';
  const { service = '' } = (body ?? {}) as { service?: string };
  return service === '*' || service.startsWith('logs') ? 'faults' : 'faults of prices';
}

/** Answers after which the gateway makes no calls for a time: a key that is not taken, and those that may name one. */
const KEEPS_AWAY = [401, 403, 429, 503];

function keepsAway(body: unknown): boolean {
  const { fault } = (body ?? {}) as { fault?: { status?: number } };
  return KEEPS_AWAY.includes(fault?.status ?? 0);
}
