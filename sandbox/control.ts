import { type ServerResponse, STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { parseIsoTime, type SandboxClock } from './clock';
import { FAULTS, type FaultBoard, type FaultOrder, isStreamFault, type StreamFault } from './faults';
import { LOG_ORDER_SCHEMAS, LOG_ORDERS, type LogOrder, type LogOrderKind } from './logs/log-orders';
import type { LogOverlay } from './logs/log-overlay';
import { isoTime } from './logs/log-row';
import type { LogWorld } from './logs/log-world';
import { KEEPERS, type Keeper } from './logs/networks';
import { describeScenarios, SCENARIO_NAMES, scenarioAt } from './scenarios/catalogue';
import { describeScenario } from './scenarios/report';
import type { CallLog } from './server';
import {
  type PlainRequest,
  reply,
  replyJson,
  type SandboxService,
  SERVICE_LABELS,
  STREAM_ROUTE,
  type StreamRegistry,
} from './service';

/** What the control interface switches and the services look at with every answer. */
export type SandboxModes = {
  /** How the log services write network_id and gas_limit. */
  logsDialect: 'text' | 'number';
  /** Which generation of signatures the old host of the update service gives. */
  generation: 'after' | 'before';
  /** Raw JSON texts put in front of every log list, by keeper. */
  oddRows: Map<Keeper, string[]>;
};

type ControlContext = {
  seed: number;
  records: number;
  world: LogWorld;
  /** The log services by their keepers. */
  overlays: Record<Keeper, LogOverlay>;
  clock: SandboxClock;
  modes: SandboxModes;
  services: readonly SandboxService[];
  faults: FaultBoard;
  streams: StreamRegistry;
  calls: CallLog;
  /** Told of every order that gives the log services another past, before the order is answered. */
  rewrites: RewriteListeners;
  /** Host names that the control interface answers to, without port, lower case. */
  hostNames: readonly string[];
  realNow: () => number;
  /** Everything back to the state after the start. */
  reset: () => void;
};

/** Hears of an order that has rewritten the past of the log services, by its path; what it returns is awaited. */
export type RewriteListener = (order: string) => Promise<void>;

/**
 * Who is told of orders after which the log services have another past: whoever keeps a copy of their rows
 * in this process can drop it before the order is answered.
 */
export class RewriteListeners {
  private readonly listeners = new Set<RewriteListener>();

  /** A listener that hangs must not hold the control interface for ever. */
  constructor(private readonly maxWaitMs = 10_000) {}

  /** Returns the function that ends it. */
  add(listener: RewriteListener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Calls all listeners and waits for them, so long at most. One that fails does not matter to the others. */
  async tell(order: string): Promise<void> {
    const calls = [...this.listeners].map((listener) =>
      listener(order).catch((error: unknown) =>
        console.error('sandbox: a listener of rewrites failed:', error),
      ),
    );
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.maxWaitMs);
    });
    await Promise.race([Promise.all(calls), late]);
    clearTimeout(timer);
  }
}

/** An order that can't be carried out: its message is the answer. */
class Refused extends Error {}

type Command = {
  help: string;
  /** Reads and carries out; `isRewrite`: the log services have another past now. Throws a Refused. */
  run: (context: ControlContext, input: unknown) => { answer: unknown; isRewrite: boolean };
};

/** One row of the table of orders. The input is the body of a POST, the query of all others. */
function command<S extends z.ZodType>(
  schema: S,
  help: string,
  act: (context: ControlContext, input: z.output<S>) => unknown,
  rewrites: (input: z.output<S>) => boolean = () => false,
): Command {
  return {
    help,
    run: (context, input) => {
      const read = schema.safeParse(input);
      if (!read.success) throw new Refused(`${z.prettifyError(read.error)}\nTakes ${helpFor(help, input)}`);
      return { answer: act(context, read.data), isRewrite: rewrites(read.data) };
    },
  };
}

const always = () => true;
const nothing = z.object({});
const keeper = z.enum(KEEPERS);

const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);
const clockTime = z.string().transform((text, { issues }) => {
  const ms = parseIsoTime(text)?.ms;
  if (ms !== undefined && ms >= EARLIEST_MS && ms <= LATEST_MS) return ms;
  issues.push({ code: 'custom', message: 'is no ISO 8601 time from 2000 to 2100', input: text });
  return z.NEVER;
});

const faultOrder = z.strictObject({
  service: z.enum([...SERVICE_LABELS, '*']),
  route: z.string().optional(),
  fault: z.discriminatedUnion('kind', [
    FAULTS.status.schema,
    FAULTS.html.schema,
    FAULTS.redirect.schema,
    FAULTS.truncate.schema,
    FAULTS.body.schema,
    FAULTS.delay.schema,
    FAULTS.trickle.schema,
    FAULTS.hang.schema,
    FAULTS.drop.schema,
    FAULTS['close-stream'].schema,
    FAULTS['reset-stream'].schema,
    FAULTS.silence.schema,
    FAULTS.event.schema,
  ]),
  count: z.int().min(1).max(1_000_000).optional(),
  forMs: z.int().min(1).max(86_400_000).optional(),
});

/** `{kind, ...}` of an order for the rows of a log service; the schema depends on the keeper. */
const logsOrder = z
  .strictObject({ keeper, order: z.looseObject({ kind: z.enum(Object.keys(LOG_ORDERS) as LogOrderKind[]) }) })
  .transform((input, { issues }): { keeper: Keeper; order: LogOrder } => {
    const read = LOG_ORDER_SCHEMAS[input.keeper][input.order.kind].safeParse(input.order);
    if (read.success) return { keeper: input.keeper, order: read.data };
    for (const issue of read.error.issues) {
      issues.push({ code: 'custom', message: issue.message, path: ['order', ...issue.path], input });
    }
    return z.NEVER;
  });

const COMMANDS: Record<string, Command> = {
  'GET /control': command(nothing, 'all there is', overview),
  'POST /control/clock': command(
    z.strictObject({
      set: clockTime.optional(),
      speed: z.number().gt(0).max(86_400).optional(),
      stopped: z.boolean().optional(),
    }),
    '{"set": ISO 8601 time from 2000 to 2100, "speed": number above 0 and at most 86400, "stopped": true or false}, each optional: of the data and of the Date header of the services',
    ({ clock }, { set, speed, stopped }) => {
      if (speed !== undefined) clock.setSpeed(speed);
      if (stopped !== undefined) stopped ? clock.stop() : clock.start();
      if (set !== undefined) clock.set(set);
      return clockState(clock);
    },
    ({ set }) => set !== undefined,
  ),
  'POST /control/faults': command(
    faultOrder,
    '{"service": name or "*", optional "route", "fault": {"kind": ...}, optional "count": of requests or streams, "forMs": real milliseconds}',
    startFault,
  ),
  'DELETE /control/faults': command(
    nothing,
    'ends all faults; a request that hangs already goes on hanging',
    ({ faults, streams }) => {
      faults.clear();
      streams.silence({ service: '*' }, 0);
      return { faults: [] };
    },
  ),
  'GET /control/calls': command(
    z.object({ service: z.enum(SERVICE_LABELS).optional(), route: z.string().optional() }),
    '?service=&route=, both optional: {total, calls}',
    ({ calls, services }, { service, route }) => {
      if (route !== 'unknown') checkRoute(services, route);
      return calls.find(service, route);
    },
  ),
  'DELETE /control/calls': command(nothing, 'counts from 0 again', ({ calls }) => {
    calls.clear();
    return { total: 0, calls: [] };
  }),
  'POST /control/dialect': command(
    z.strictObject({ logs: z.enum(['text', 'number']) }),
    '{"logs": "text" or "number"}: how network_id and gas_limit are written',
    ({ modes }, { logs }) => {
      modes.logsDialect = logs;
      return { logs };
    },
    always,
  ),
  'POST /control/generation': command(
    z.strictObject({ generation: z.enum(['after', 'before']) }),
    '{"generation": "after" or "before"} the upgrade of the signatures',
    ({ modes }, { generation }) => {
      modes.generation = generation;
      return { generation };
    },
  ),
  'POST /control/rows': command(
    z.strictObject({ keeper, rows: z.array(z.string()) }),
    '{"keeper": "main" or "test", "rows": [the JSON text of a row, ...]}: served as they are in front of every list, whatever its filter',
    ({ modes }, { keeper: name, rows }) => {
      modes.oddRows.set(name, rows);
      return { keeper: name, rows: rows.length };
    },
    always,
  ),
  'DELETE /control/rows': command(
    nothing,
    'takes these rows away',
    ({ modes }) => {
      modes.oddRows.clear();
      return { rows: 0 };
    },
    always,
  ),
  'POST /control/logs': command(
    logsOrder,
    '{"keeper": "main" or "test", "order": {"kind": ...}}, one of `logOrders`: what becomes of the rows of one log service',
    ({ overlays, clock }, { keeper: name, order }) => {
      const result = overlays[name].start(order, clock.now());
      if (!result.ok) throw new Refused(result.problem);
      return result.value;
    },
  ),
  'DELETE /control/logs': command(
    z.object({
      keeper: keeper.optional(),
      kind: z.enum(Object.keys(LOG_ORDERS) as LogOrderKind[]).optional(),
    }),
    '?keeper=&kind=, both optional: all is as though these orders had never been given',
    ({ overlays }, { keeper: only, kind }) => {
      for (const name of KEEPERS) if (only === undefined || only === name) overlays[name].end(kind);
      return activeLogOrders(overlays);
    },
  ),
  'POST /control/scenario': command(
    z.strictObject({ name: z.enum(SCENARIO_NAMES) }),
    '{"name": one of `scenarios`}: what goes wrong in the log services from now on, in the place of the one before',
    ({ world, seed, clock }, { name }) => {
      const nowMs = clock.now();
      world.setScenario(scenarioAt(seed, name, nowMs));
      return describeScenario(world, nowMs);
    },
    always,
  ),
  'POST /control/reset': command(
    nothing,
    'everything as after the start',
    (context) => {
      context.reset();
      return overview(context);
    },
    always,
  ),
};

/**
 * Answers one request to `/control`: JSON, or problem+json that says what is taken. An order that rewrites the
 * past of the log services is answered when all listeners of rewrites are done.
 */
export async function handleControl(
  context: ControlContext,
  request: PlainRequest,
  res: ServerResponse,
): Promise<void> {
  const refusal = refuseCaller(context, request);
  if (refusal) return replyProblem(res, refusal.status, refusal.detail);
  const key = `${request.method} ${request.path.replace(/\/$/, '')}`;
  const found = Object.hasOwn(COMMANDS, key) ? COMMANDS[key] : undefined;
  if (!found) return replyProblem(res, 404, `There is:\n${Object.keys(COMMANDS).join('\n')}`);
  try {
    const { answer, isRewrite } = found.run(context, readInput(request));
    if (isRewrite) await context.rewrites.tell(key);
    replyJson(res, 200, JSON.stringify(answer));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    replyProblem(res, 400, error.message);
  }
}

function replyProblem(res: ServerResponse, status: number, detail: string): void {
  const problem = { type: 'about:blank', title: STATUS_CODES[status], status, detail };
  reply(res, status, 'application/problem+json', JSON.stringify(problem));
}

/** An empty body is an empty object. */
function readInput({ method, body, rawQuery }: PlainRequest): unknown {
  if (method !== 'POST') return Object.fromEntries(new URLSearchParams(rawQuery));
  try {
    return body.trim() === '' ? {} : JSON.parse(body);
  } catch {
    throw new Refused('Takes a JSON object; this is not JSON');
  }
}

/** The sandbox listens where any page in the browser can reach it, so a page must not steer it. */
function refuseCaller(
  context: ControlContext,
  { method, req }: PlainRequest,
): { status: number; detail: string } | undefined {
  const host = (req.headers.host ?? '').toLowerCase();
  if (!context.hostNames.includes(host.replace(/:\d*$/, ''))) {
    return { status: 421, detail: 'Not served under this host name' };
  }
  const site = req.headers['sec-fetch-site'];
  const { origin } = req.headers;
  if (site === 'cross-site' || site === 'same-site' || (origin && origin !== `http://${host}`)) {
    return { status: 403, detail: 'Cross-site requests are refused' };
  }
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (method === 'POST' && type !== 'application/json') {
    return { status: 415, detail: 'Takes content-type: application/json' };
  }
  return undefined;
}

function startFault(context: ControlContext, order: z.output<typeof faultOrder>): unknown {
  const { service } = order;
  const chosen = context.services.filter(({ name }) => service === '*' || name === service);
  const routes = checkRoute(chosen, order.route);
  const { fault } = order;
  if (!isStreamFault(fault)) return { id: context.faults.add({ ...order, fault }) };
  // Faults of streams reach the route that opens streams, and no other.
  const { route = STREAM_ROUTE, forMs } = order;
  const { kind } = fault;
  if (route !== STREAM_ROUTE || !routes.includes(route))
    throw new Refused(`${kind}: there are no streams here`);
  if (kind === 'silence' && forMs === undefined) throw new Refused('silence needs forMs');
  if (kind === 'event' && forMs !== undefined)
    throw new Refused('event is written at once: it takes no forMs');
  return startStreamFault(context, { ...order, fault, route });
}

function startStreamFault(context: ControlContext, order: FaultOrder<StreamFault>): unknown {
  const { faults, streams, realNow } = context;
  const { fault } = order;
  if (fault.kind === 'silence') {
    return { id: faults.nextId(), streams: streams.silence(order, realNow() + (order.forMs ?? 0)) };
  }
  if (fault.kind === 'event') return { id: faults.nextId(), streams: streams.inject(order, fault.text) };
  const reached = fault.kind === 'close-stream' ? streams.closeStreams(order) : streams.resetStreams(order);
  // What of the count is left after the streams that were open, or the time, holds for those to come.
  const count = order.count === undefined ? undefined : order.count - reached;
  const isHeld = count === undefined ? order.forMs !== undefined : count > 0;
  return { id: isHeld ? faults.add({ ...order, fault, count }) : faults.nextId(), streams: reached };
}

/** The routes of some services; refuses one that is none of them. */
function checkRoute(services: readonly SandboxService[], route: string | undefined): string[] {
  const routes = [...new Set(services.flatMap((one) => [...one.routes]))];
  if (route === undefined || routes.includes(route)) return routes;
  throw new Refused(`route: takes ${routes.map((one) => `"${one}"`).join(', ')}, or is left out for all`);
}

function inWords(kind: string, takes: string): string {
  return `{"kind": "${kind}"${takes ? `, ${takes}` : ''}}`;
}

const faultKinds = Object.entries(FAULTS).map(([kind, { takes }]) => inWords(kind, takes));
const logOrders = Object.entries(LOG_ORDERS).map(([kind, { takes }]) => inWords(kind, takes));

/** The help of a command; where it takes a fault or an order of a kind, that kind too, or the kinds that there are. */
function helpFor(help: string, input: unknown): string {
  const { fault, order } = z
    .object({ fault: z.unknown(), order: z.unknown() })
    .partial()
    .catch({})
    .parse(input);
  const lines = fault === undefined ? (order === undefined ? [] : logOrders) : faultKinds;
  const { kind } = z
    .object({ kind: z.string() })
    .partial()
    .catch({})
    .parse(fault ?? order);
  const own = lines.filter((line) => kind !== undefined && line.startsWith(`{"kind": "${kind}"`));
  return [help, ...(own.length > 0 ? own : lines)].join('\n');
}

function activeLogOrders(overlays: ControlContext['overlays']): unknown {
  return Object.fromEntries(KEEPERS.map((name) => [name, overlays[name].active()]));
}

function clockState(clock: SandboxClock): unknown {
  return { now: isoTime(clock.now()), speed: clock.speed, stopped: clock.stopped };
}

function overview(context: ControlContext): unknown {
  const { clock, modes, overlays, world, services, streams } = context;
  world.moveTo(clock.now());
  const scenario = world.scenario?.scenario;
  return {
    clock: clockState(clock),
    seed: context.seed,
    records: context.records,
    dialect: { logs: modes.logsDialect },
    generation: modes.generation,
    rows: Object.fromEntries([...modes.oddRows].map(([name, rows]) => [name, rows.length])),
    logs: activeLogOrders(overlays),
    scenario: scenario ? { name: scenario.name, since: isoTime(scenario.sinceMs) } : null,
    scenarios: describeScenarios(),
    faults: context.faults.active(),
    services: services.map(({ name, base, routes }) => ({
      ...{ name, base, routes },
      openStreams: streams.count(name),
    })),
    routes: Object.entries(COMMANDS).map(([route, { help }]) => ({ route, takes: help })),
    faultKinds,
    logOrders: Object.values(LOG_ORDERS).map(({ does }, place) => `${logOrders[place]}: ${does}`),
  };
}
