/** What a test can tell the sandbox over HTTP, and ask of it. */
export type Control = {
  reset(): Promise<void>;
  fault(fault: {
    service: string;
    route?: string;
    fault: Record<string, unknown>;
    count?: number;
    forMs?: number;
  }): Promise<void>;
  noFaults(): Promise<void>;
  /** Calls that somebody waited for: not those by which the index is kept up to date. */
  calls(service: string, route?: string): Promise<{ total: number; calls: RecordedCall[] }>;
  /** The calls of the index as well. */
  everyCall(service: string, route?: string): Promise<{ total: number; calls: RecordedCall[] }>;
  forgetCalls(): Promise<void>;
  clock(change: { set?: string; speed?: number; stopped?: boolean }): Promise<void>;
  dialect(logs: 'text' | 'number'): Promise<void>;
  generation(generation: 'after' | 'before'): Promise<void>;
  /** Rows as raw JSON text, put in front of the log list byte for byte. */
  rows(keeper: 'main' | 'test', rows: string[]): Promise<void>;
  /** Changes what becomes of the rows of one log service; `noLogs` or `reset` undoes it. */
  logs(keeper: 'main' | 'test', order: LogOrder): Promise<LogOrderMade>;
  /** As though these orders, or all, had never been given. */
  noLogs(keeper?: 'main' | 'test', kind?: LogOrder['kind']): Promise<void>;
  /** Makes something go wrong in the log services, by a name that `GET /control` lists; `reset` ends it. */
  scenario(name: string): Promise<Scenario>;
};

/**
 * What becomes of the rows of one log service. Seconds and minutes are those of the sandbox clock. `count` of
 * change, vanish and undelivered: the newest rows that fit, created `olderThanS` seconds ago or earlier.
 */
export type LogOrder =
  /** New rows, the next `count` or a share of all, are listed and counted only so long after their creation. */
  | { kind: 'late'; lateS: number; count: number }
  | { kind: 'late'; lateS: number; share: number }
  /** Failed rows become completed now. */
  | { kind: 'change'; count: number; olderThanS?: number }
  /** Rows with an outcome are neither listed nor counted any more. */
  | { kind: 'vanish'; count: number; olderThanS?: number }
  /** Completed rows are counted, for offsets too, and left out of lists. */
  | { kind: 'undelivered'; count: number; olderThanS?: number }
  /** About one row in so many stands twice in every list. */
  | { kind: 'repeat'; every: number }
  /** The rows of a page are in no order. */
  | { kind: 'shuffle' }
  /** So many rows in one millisecond, now. */
  | { kind: 'burst'; count: number; pendingS?: number; networkIds?: string[] }
  /** More rows a second, each pending for so long; `perS` 0 ends it and leaves those that came. */
  | { kind: 'rate'; perS: number; pendingS?: number; networkIds?: string[] }
  /** The store was emptied: only rows from now on are there. */
  | { kind: 'empty' }
  /** The total is so many more (below 0: fewer) than the rows, in a share of the answers. */
  | { kind: 'race'; by: number; share?: number }
  /** Networks are refused with 400 for so long; `zero`: their id among the configs is 0 meanwhile. */
  | { kind: 'starting'; minutes: number; networkIds?: string[]; zero?: boolean }
  /** The clock of the service is off from now on; 0 is right again. */
  | { kind: 'clock'; offS: number };

export type LogOrderMade = {
  kind: LogOrder['kind'];
  /** The time of the sandbox clock at which it was carried out, ISO. */
  at: string;
  /** How many rows it chose or made. */
  rows: number;
  /** The rows that it chose, newest first, 1000 at most. */
  requests: {
    network_id: string;
    provider: string;
    sequence: number;
    request_tx_hash: string;
    created_at: string;
  }[];
};

/** What a scenario made, as of the moment at which it was set. Times are ISO, members that end in Ms milliseconds. */
export type Scenario = {
  name: string;
  /** 'both' for several keepers; absent when nothing is wrong. */
  keeper?: 'main' | 'test' | 'both';
  at: string;
  /** When the oldest stuck request was created. */
  since?: string;
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
    newest: string;
    /** What the rule is decided by. */
    figures: Record<string, number | string | number[]>;
    /** The stuck requests, oldest first, 50 at most. */
    requests: { sequence: number; request_tx_hash: string; sender: string; created_at: string }[];
  }[];
};

export type RecordedCall = { method: string; path: string; query: string; headers: Record<string, string> };

/**
 * The controls of the sandbox at an origin; an answer that is not 2xx fails the test.
 * @param onOrder hears of every order that makes the sandbox another one than after its start
 */
export function controlOf(sandbox: string, onOrder: (path: string) => void = () => undefined): Control {
  const send = async (method: string, path: string, body?: unknown) => {
    if (method !== 'GET' && path !== '/calls') onOrder(path);
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
  return {
    reset: () => send('POST', '/reset', {}),
    fault: (fault) => send('POST', '/faults', fault),
    noFaults: () => send('DELETE', '/faults'),
    calls: async (service, route) => {
      const { calls } = await everyCall(service, route);
      const waited = calls.filter(({ headers }) => !isOfIndex(service, headers));
      return { total: waited.length, calls: waited };
    },
    everyCall,
    forgetCalls: () => send('DELETE', '/calls'),
    clock: (change) => send('POST', '/clock', change),
    dialect: (logs) => send('POST', '/dialect', { logs }),
    generation: (generation) => send('POST', '/generation', { generation }),
    rows: (keeper, rows) => send('POST', '/rows', { keeper, rows }),
    logs: (keeper, order) => send('POST', '/logs', { keeper, order }),
    noLogs: (keeper, kind) =>
      send('DELETE', `/logs?${keeper ? `keeper=${keeper}&` : ''}${kind ? `kind=${kind}` : ''}`),
    scenario: (name) => send('POST', '/scenario', { name }),
  };
}

function isOfIndex(service: string, headers: Record<string, string>): boolean {
  return service.startsWith('logs') && headers['user-agent'] === 'keeperscope (background)';
}
