import type { ServerResponse } from 'node:http';
import type { CallLog } from './calls';
import type { SandboxClock } from './clock';
import {
  describeFaults,
  type Read,
  readCallFilter,
  readChoice,
  readClockOrder,
  readFaultOrder,
  readFields,
  readRowsOrder,
} from './control-input';
import {
  type AnyFaultOrder,
  type FaultBoard,
  type FaultOrder,
  isStreamFault,
  type StreamEnd,
  type StreamFault,
} from './faults';
import { describeLogOrders, type LogsOrder, readLogFilter, readLogsOrder } from './logs/log-orders';
import type { LogOverlay } from './logs/log-overlay';
import type { Keeper } from './logs/networks';
import type { RewriteListeners } from './rewrite-listeners';
import { describeScenarios, SCENARIO_NAMES } from './scenarios/catalogue';
import type { Scenarios } from './scenarios/scenarios';
import type { PlainRequest } from './server';
import { replyJson, replyText, type SandboxService } from './service';
import type { StreamRegistry } from './streams';

/** What the control interface switches and the services look at with every answer. */
export type SandboxModes = {
  /** How the log services write network_id and gas_limit. */
  logsDialect: 'text' | 'number';
  /** Which generation of signatures the old host of the update service gives. */
  generation: 'after' | 'before';
  /** Raw JSON texts put in front of every log list, by keeper. */
  oddRows: Map<string, string[]>;
};

export type ControlContext = {
  seed: number;
  records: number;
  /** The log services by their keepers. */
  overlays: ReadonlyMap<Keeper, LogOverlay>;
  clock: SandboxClock;
  modes: SandboxModes;
  services: readonly SandboxService[];
  faults: FaultBoard;
  streams: StreamRegistry;
  calls: CallLog;
  scenarios: Scenarios;
  /** Told of every order that gives the log services another past, before the order is answered. */
  rewrites: RewriteListeners;
  /** Host names that the control interface answers to, without port, lower case. */
  hostNames: readonly string[];
  realNow: () => number;
  /** Everything back to the state after the start. */
  reset: () => void;
};

type Action = (
  context: ControlContext,
  request: PlainRequest,
  fields: Record<string, unknown>,
) => Read<unknown>;

const done = (value: unknown): Read<unknown> => ({ ok: true, value });

/** Carries out an order that was understood. */
function carryOut<T>(order: Read<T>, act: (value: T) => unknown): Read<unknown> {
  return order.ok ? done(act(order.value)) : order;
}

type Entry = {
  help: string;
  act: Action;
  /** Whether the log services have another past after an order with these fields. */
  rewrites?: (fields: Record<string, unknown>) => boolean;
};

const always = () => true;

const ACTIONS: Record<string, Entry> = {
  'GET /control': { help: 'all there is', act: (context) => done(overviewOf(context)) },
  'POST /control/clock': {
    help: '{set?: ISO time, speed?: number, stopped?: boolean}: of the data and of the Date header of the services',
    rewrites: ({ set }) => set !== undefined,
    act: (context, _request, fields) =>
      carryOut(readClockOrder(fields), ({ set, speed, stopped }) => {
        if (speed !== undefined) context.clock.setSpeed(speed);
        if (stopped !== undefined) stopped ? context.clock.stop() : context.clock.start();
        if (set !== undefined) context.clock.set(set);
        return clockState(context.clock);
      }),
  },
  'POST /control/faults': {
    help: '{service, route?, fault: {kind, ...}, count?: of requests or streams, forMs?: real milliseconds}',
    act: (context, _request, fields) =>
      carryOut(readFaultOrder(fields, context.services), (order) => startFault(context, order)),
  },
  'DELETE /control/faults': {
    help: 'ends all faults; a request that hangs already goes on hanging',
    act: (context) => {
      context.faults.clear();
      context.streams.silence({ service: '*' }, 0);
      return done({ faults: [] });
    },
  },
  'GET /control/calls': {
    help: '?service=&route=, both optional: {total, calls}',
    act: (context, request) =>
      carryOut(readCallFilter(request.rawQuery, context.services), ({ service, route }) =>
        context.calls.find(service, route),
      ),
  },
  'DELETE /control/calls': {
    help: 'counts from 0 again',
    act: (context) => {
      context.calls.clear();
      return done({ total: 0, calls: [] });
    },
  },
  'POST /control/dialect': {
    help: '{logs: "text" | "number"}: how network_id and gas_limit are written',
    rewrites: always,
    act: (context, _request, fields) =>
      carryOut(readChoice(fields, 'logs', ['text', 'number'] as const), (dialect) => {
        context.modes.logsDialect = dialect;
        return { logs: dialect };
      }),
  },
  'POST /control/generation': {
    help: '{generation: "after" | "before"} the upgrade of the signatures',
    act: (context, _request, fields) =>
      carryOut(readChoice(fields, 'generation', ['after', 'before'] as const), (generation) => {
        context.modes.generation = generation;
        return { generation };
      }),
  },
  'POST /control/rows': {
    help: '{keeper, rows: [JSON text, ...]}: served as they are in front of every list, whatever its filter',
    rewrites: always,
    act: (context, _request, fields) =>
      carryOut(readRowsOrder(fields, [...context.overlays.keys()]), ({ keeper, rows }) => {
        context.modes.oddRows.set(keeper, rows);
        return { keeper, rows: rows.length };
      }),
  },
  'DELETE /control/rows': {
    help: 'takes these rows away',
    rewrites: always,
    act: (context) => {
      context.modes.oddRows.clear();
      return done({ rows: 0 });
    },
  },
  'POST /control/logs': {
    help: '{keeper, order: {kind, ...}}, one of `logOrders`: what becomes of the rows of one log service',
    act: (context, _request, fields) => {
      const read = readLogsOrder(fields, [...context.overlays.keys()]);
      return read.ok ? startLogOrder(context, read.value) : read;
    },
  },
  'DELETE /control/logs': {
    help: '?keeper=&kind=, both optional: all is as though these orders had never been given',
    act: (context, request) =>
      carryOut(readLogFilter(request.rawQuery, [...context.overlays.keys()]), ({ keeper, kind }) => {
        for (const [name, overlay] of context.overlays) {
          if (keeper === undefined || keeper === name) overlay.end(kind);
        }
        return logOrdersOf(context);
      }),
  },
  'POST /control/scenario': {
    help: '{name}, one of `scenarios`: what goes wrong in the log services from now on, in the place of the one before',
    rewrites: always,
    act: (context, _request, fields) =>
      carryOut(readChoice(fields, 'name', SCENARIO_NAMES), (name) =>
        context.scenarios.start(name, context.clock.now()),
      ),
  },
  'POST /control/reset': {
    help: 'everything as after the start',
    rewrites: always,
    act: (context) => {
      context.reset();
      return done(overviewOf(context));
    },
  },
};

/**
 * Answers one request to `/control`: JSON, or a refusal in plain text that says what is taken. An order that
 * rewrites the past of the log services is answered when all listeners of rewrites are done.
 */
export async function handleControl(
  context: ControlContext,
  request: PlainRequest,
  res: ServerResponse,
): Promise<void> {
  const refusal = refusalOf(context, request);
  const key = `${request.method} ${request.path.replace(/\/$/, '')}`;
  const action = Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : undefined;
  if (refusal) {
    replyText(res, refusal.status, refusal.text);
  } else if (!action) {
    replyText(res, 404, `Not found. There is:\n${Object.keys(ACTIONS).join('\n')}\n`);
  } else {
    const fields = request.method === 'POST' ? readFields(request.body) : readFields('');
    const result = fields.ok ? action.act(context, request, fields.value) : fields;
    if (result.ok && fields.ok && action.rewrites?.(fields.value)) await context.rewrites.tell();
    if (result.ok) replyJson(res, 200, JSON.stringify(result.value));
    else replyText(res, 400, result.problem);
  }
}

/** The sandbox listens where any page in the browser can reach it, so a page must not steer it. */
function refusalOf(
  context: ControlContext,
  { method, req }: PlainRequest,
): { status: number; text: string } | undefined {
  const host = (req.headers.host ?? '').toLowerCase();
  if (!context.hostNames.includes(host.replace(/:\d*$/, ''))) {
    return { status: 421, text: 'Not served under this host name' };
  }
  const site = req.headers['sec-fetch-site'];
  const { origin } = req.headers;
  if (site === 'cross-site' || site === 'same-site' || (origin && origin !== `http://${host}`)) {
    return { status: 403, text: 'Cross-site requests are refused' };
  }
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (method === 'POST' && type !== 'application/json') {
    return { status: 415, text: 'Takes content-type: application/json' };
  }
  return undefined;
}

function startFault(context: ControlContext, order: AnyFaultOrder): unknown {
  return isStreamFault(order) ? startStreamFault(context, order) : { id: context.faults.add(order) };
}

function startStreamFault(context: ControlContext, order: FaultOrder<StreamFault>): unknown {
  const { faults, streams } = context;
  const { fault } = order;
  switch (fault.kind) {
    case 'close-stream':
      return endStreams(context, { ...order, fault }, streams.closeStreams(order));
    case 'reset-stream':
      return endStreams(context, { ...order, fault }, streams.resetStreams(order));
    case 'silence':
      return {
        id: faults.nextId(),
        streams: streams.silence(order, context.realNow() + (order.forMs ?? 0)),
      };
    case 'event':
      return { id: faults.nextId(), streams: streams.inject(order, fault.text) };
  }
}

/** What of the count is left after the streams that were open, or the time, holds for those to come. */
function endStreams({ faults }: ControlContext, order: FaultOrder<StreamEnd>, reached: number): unknown {
  const count = order.count === undefined ? undefined : order.count - reached;
  const isHeld = count === undefined ? order.forMs !== undefined : count > 0;
  return { id: isHeld ? faults.add({ ...order, count }) : faults.nextId(), streams: reached };
}

function startLogOrder({ overlays, clock }: ControlContext, { keeper, order }: LogsOrder): Read<unknown> {
  const overlay = overlays.get(keeper);
  return overlay ? overlay.start(order, clock.now()) : { ok: false, problem: `there is no ${keeper}` };
}

function logOrdersOf({ overlays }: ControlContext): unknown {
  return Object.fromEntries([...overlays].map(([keeper, overlay]) => [keeper, overlay.active()]));
}

function clockState(clock: SandboxClock): unknown {
  return { now: new Date(clock.now()).toISOString(), speed: clock.speed, stopped: clock.stopped };
}

function overviewOf(context: ControlContext): unknown {
  return {
    clock: clockState(context.clock),
    seed: context.seed,
    records: context.records,
    dialect: { logs: context.modes.logsDialect },
    generation: context.modes.generation,
    rows: Object.fromEntries([...context.modes.oddRows].map(([keeper, rows]) => [keeper, rows.length])),
    logs: logOrdersOf(context),
    scenario: context.scenarios.active() ?? null,
    scenarios: describeScenarios(),
    faults: context.faults.active(),
    services: context.services.map(({ name, base, routes }) => ({
      name,
      base,
      routes,
      openStreams: context.streams.count(name),
    })),
    routes: Object.entries(ACTIONS).map(([route, { help }]) => ({ route, takes: help })),
    faultKinds: describeFaults(),
    logOrders: describeLogOrders(),
  };
}
