import { type ServerResponse, STATUS_CODES } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { parseIsoTime, type SandboxClock } from './clock';
import { FAULTS, type FaultBoard, type FaultOrder } from './faults';
import { LOG_ORDERS, type LogOrder } from './logs/log-orders';
import type { LogOverlay } from './logs/log-overlay';
import { isoTime } from './logs/log-row';
import type { LogWorld } from './logs/log-world';
import { KEEPERS, type Keeper } from './logs/networks';
import { Refusal } from './query-values';
import { reply, type StreamRegistry } from './responses';
import { SCENARIO_NAMES, SCENARIOS, scenarioAt } from './scenarios/catalogue';
import { describeScenario } from './scenarios/report';
import { type CallLog, type SandboxRequest, type SandboxService, SERVICE_LABELS } from './server';

/** What the control interface switches and the services look at with every answer. */
export type SandboxModes = {
  /** How the log services write network_id and gas_limit. */
  logsDialect: 'text' | 'number';
  /** Which generation of signatures the old host of the update service gives. */
  generation: 'after' | 'before';
  /** Raw JSON texts put in front of every log list, by keeper. */
  oddRows: Map<Keeper, string[]>;
};

/** Hears of an order that has rewritten the past of the log services, by its path; what it returns is awaited. */
export type RewriteListener = (order: string) => Promise<void>;

type ControlContext = {
  seed: number;
  records: number;
  world: LogWorld;
  overlays: Record<Keeper, LogOverlay>;
  clock: SandboxClock;
  modes: SandboxModes;
  services: readonly SandboxService[];
  faults: FaultBoard;
  streams: StreamRegistry;
  calls: CallLog;
  /** Told of every order that gives the log services another past, before the order is answered. */
  rewrites: Set<RewriteListener>;
  /** A listener that hangs must not hold the control interface for ever. */
  maxRewriteMs: number;
  /** Host names that the control interface answers to, without port, lower case. */
  hostNames: readonly string[];
  realNow: () => number;
  reset: () => void;
};

type Command = {
  help: string;
  /** Reads and carries out; `isRewrite`: the log services have another past now. Throws a Refusal. */
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
      if (!read.success) {
        throw new Refusal(400, `${z.prettifyError(read.error)}\nTakes ${helpFor(help, input)}`);
      }
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

/** `{"kind": …}` and what the schema of that kind has. */
function ofKind<T extends { kind: string }>(kinds: Record<string, { schema: z.ZodType }>) {
  return z.looseObject({ kind: z.enum(Object.keys(kinds)) }).transform((input, { issues }): T => {
    const read = kinds[input.kind]?.schema.safeParse(input);
    if (read?.success) return read.data as T;
    for (const { message, path } of read?.error.issues ?? []) {
      issues.push({ code: 'custom', message, path, input });
    }
    return z.NEVER;
  });
}

const COMMANDS: Record<string, Command> = {
  'GET /control': command(nothing, 'all there is', overview),
  'POST /control/clock': command(
    z.strictObject({
      set: clockTime.optional(),
      speed: z.number().gt(0).max(86_400).optional(),
      stopped: z.boolean().optional(),
    }),
    '{"set": ISO 8601 time from 2000 to 2100, "speed": number above 0 and at most 86400, "stopped": true or false}, each optional: of the data and of the Date header of the services',
    ({ clock }, { set: ms, speed, stopped }) => {
      clock.set({ ms, speed, stopped });
      return clockState(clock);
    },
    ({ set }) => set !== undefined,
  ),
  'POST /control/faults': command(
    z.strictObject({
      service: z.enum([...SERVICE_LABELS, '*']),
      route: z.string().optional(),
      fault: ofKind<FaultOrder['fault']>(FAULTS),
      count: z.int().min(1).max(1_000_000).optional(),
      forMs: z.int().min(1).max(86_400_000).optional(),
    }),
    '{"service": name or "*", optional "route", "fault": {"kind": ...}, optional "count": of requests or streams, "forMs": real milliseconds}',
    startFault,
  ),
  'DELETE /control/faults': command(
    nothing,
    'ends all faults; a request that hangs already goes on hanging',
    (context) => {
      endFaults(context);
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
    return calls.find(undefined, undefined);
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
    z.strictObject({ keeper, order: ofKind<LogOrder>(LOG_ORDERS) }),
    '{"keeper": "main" or "test", "order": {"kind": ...}}, one of `logOrders`: what becomes of the rows of one log service',
    ({ overlays, clock }, { keeper: name, order }) => overlays[name].start(order, clock.now()),
  ),
  'DELETE /control/logs': command(
    z.object({
      keeper: keeper.optional(),
      kind: z.enum(Object.keys(LOG_ORDERS) as LogOrder['kind'][]).optional(),
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

/** Answers a request to `/control`. An order that rewrites the past waits for everybody who copied it. */
export async function handleControl(
  context: ControlContext,
  request: SandboxRequest,
  res: ServerResponse,
): Promise<void> {
  const key = `${request.method} ${request.path.replace(/\/$/, '')}`;
  try {
    refuseCaller(context, request);
    const found = Object.hasOwn(COMMANDS, key) ? COMMANDS[key] : undefined;
    if (!found) throw new Refusal(404, `There is:\n${Object.keys(COMMANDS).join('\n')}`);
    const { answer, isRewrite } = found.run(context, readInput(request));
    if (isRewrite) await tellOfRewrite(context, key);
    reply(res, 200, 'application/json', JSON.stringify(answer));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, message } = error;
    const problem = { type: 'about:blank', title: STATUS_CODES[status], status, detail: message };
    reply(res, status, 'application/problem+json', JSON.stringify(problem));
  }
}

/** One that fails does not matter to the others. */
async function tellOfRewrite({ rewrites, maxRewriteMs }: ControlContext, order: string): Promise<void> {
  const told = [...rewrites].map((listener) =>
    listener(order).catch((error: unknown) =>
      console.error('sandbox: a listener of rewrites failed:', error),
    ),
  );
  await Promise.race([Promise.all(told), wait(maxRewriteMs, undefined, { ref: false })]);
}

function readInput({ method, body, query }: SandboxRequest): unknown {
  if (method !== 'POST') return Object.fromEntries(query);
  try {
    return body.trim() === '' ? {} : JSON.parse(body);
  } catch {
    throw new Refusal(400, 'Takes a JSON object; this is not JSON');
  }
}

/** The sandbox listens where any page in the browser can reach it, so a page must not steer it. */
function refuseCaller({ hostNames }: ControlContext, { method, headers }: SandboxRequest): void {
  const host = (headers.host ?? '').toLowerCase();
  if (!hostNames.includes(host.replace(/:\d*$/, ''))) {
    throw new Refusal(421, 'Not served under this host name');
  }
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site === 'cross-site' || site === 'same-site' || (origin && origin !== `http://${host}`)) {
    throw new Refusal(403, 'Cross-site requests are refused');
  }
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (method === 'POST' && type !== 'application/json') {
    throw new Refusal(415, 'Takes content-type: application/json');
  }
}

export function endFaults({ faults, streams }: Pick<ControlContext, 'faults' | 'streams'>): void {
  faults.clear();
  for (const stream of streams.of('*')) stream.silence(0);
}

/** A fault of requests is held for those to come; one of streams reaches those that are open at once. */
function startFault({ services, faults, streams, realNow }: ControlContext, order: FaultOrder): unknown {
  const { service, fault, count, forMs, route = 'stream' } = order;
  const { kind } = fault;
  const routes = checkRoute(
    services.filter(({ name }) => service === '*' || name === service),
    order.route,
  );
  const { onStream } = FAULTS[kind];
  if (!onStream) return { id: faults.add(order) };
  if (route !== 'stream' || !routes.includes(route)) refuse(`${kind}: there are no streams here`);
  if (kind === 'silence' && forMs === undefined) refuse('silence needs forMs');
  if (kind === 'event' && forMs !== undefined) refuse('event is written at once: it takes no forMs');
  const reached = streams.of(service, count);
  for (const stream of reached) onStream(stream, fault, realNow() + (forMs ?? 0));
  // What of the count is left after the streams that were open, or the time, holds for those to come.
  const left = count === undefined ? undefined : count - reached.length;
  const isHeld = kind.endsWith('-stream') && (left === undefined ? forMs !== undefined : left > 0);
  const id = isHeld ? faults.add({ ...order, route, count: left }) : faults.nextId();
  return { id, streams: reached.length };
}

function refuse(text: string): never {
  throw new Refusal(400, text);
}

function checkRoute(services: readonly SandboxService[], route: string | undefined): string[] {
  const routes = [...new Set(services.flatMap((one) => Object.keys(one.routes)))];
  if (route === undefined || routes.includes(route)) return routes;
  return refuse(`route: takes ${routes.map((one) => `"${one}"`).join(', ')}, or is left out for all`);
}

const inWords = (kinds: Record<string, { takes: string }>) =>
  Object.entries(kinds).map(([kind, { takes }]) => `{"kind": "${kind}"${takes ? `, ${takes}` : ''}}`);

const faultKinds = inWords(FAULTS);
const logOrders = inWords(LOG_ORDERS);

/** The help of a command; where it takes a fault or an order of a kind, that kind too, or the kinds that there are. */
function helpFor(help: string, input: unknown): string {
  const kinded = z.object({ kind: z.string().optional() }).optional().catch({});
  const { fault, order } = z.object({ fault: kinded, order: kinded }).catch({}).parse(input);
  const lines = fault ? faultKinds : order ? logOrders : [];
  const own = lines.filter((line) => line.startsWith(`{"kind": "${(fault ?? order)?.kind}"`));
  return [help, ...(own.length > 0 ? own : lines)].join('\n');
}

function activeLogOrders(overlays: ControlContext['overlays']): unknown {
  return { main: overlays.main.active(), test: overlays.test.active() };
}

function clockState(clock: SandboxClock): unknown {
  return { now: isoTime(clock.now()), speed: clock.speed, stopped: clock.stopped };
}

function overview(context: ControlContext): unknown {
  const { clock, modes, overlays, world, services, streams, seed, records } = context;
  world.moveTo(clock.now());
  const scenario = world.scenario?.scenario;
  return {
    ...{ clock: clockState(clock), seed, records, dialect: { logs: modes.logsDialect } },
    generation: modes.generation,
    rows: Object.fromEntries([...modes.oddRows].map(([name, rows]) => [name, rows.length])),
    logs: activeLogOrders(overlays),
    scenario: scenario ? { name: scenario.name, since: isoTime(scenario.sinceMs) } : null,
    scenarios: SCENARIOS,
    faults: context.faults.active(),
    services: services.map(({ name, base, routes }) => ({
      ...{ name, base, routes: Object.keys(routes), openStreams: streams.of(name).length },
    })),
    routes: Object.entries(COMMANDS).map(([route, { help }]) => ({ route, takes: help })),
    faultKinds,
    logOrders: Object.values(LOG_ORDERS).map(({ does }, place) => `${logOrders[place]}: ${does}`),
  };
}
