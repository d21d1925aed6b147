import { type ServerResponse, STATUS_CODES } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { networkNumber } from './chain/chain-world';
import { checkRoute, faultOrder } from './faults';
import { LOG_ORDER_KINDS, logOrder } from './logs/log-orders';
import { KEEPERS } from './logs/networks';
import { initialModes, type Parts } from './parts';
import { reply } from './responses';
import { ENTRIES, SCENARIO_NAMES } from './scenarios/catalogue';
import { describeScenario } from './scenarios/report';
import { isoTime, Refusal, type SandboxRequest, SERVICE_LABELS } from './service';

type Command = {
  does: string;
  schema: z.ZodType;
  act: (parts: Parts, input: unknown) => unknown;
  /** The command changes the past of the log services. */
  rewrites: (input: unknown) => boolean;
};

/** The input of a command is the body of a POST, or else the query. `act` may throw a Refusal. */
function command<S extends z.ZodRawShape>(
  shape: S,
  does: string,
  act: (parts: Parts, input: z.output<z.ZodObject<S>>) => unknown,
  rewrites: boolean | ((input: z.output<z.ZodObject<S>>) => boolean) = false,
): Command {
  const isRewrite = typeof rewrites === 'boolean' ? () => rewrites : rewrites;
  return { does, schema: z.strictObject(shape), act, rewrites: isRewrite } as Command;
}

const keeper = z.enum(KEEPERS);
const clockTime = isoTime
  .transform(({ ms }) => ms)
  .refine((ms) => ms >= Date.UTC(2000, 0, 1) && ms <= Date.UTC(2100, 0, 1), 'is not from 2000 to 2100');

const COMMANDS: Record<string, Command> = {
  'GET /control': command({}, 'describes state and commands', overview),
  'POST /control/clock': command(
    {
      set: clockTime.optional(),
      speed: z.number().gt(0).max(86_400).optional(),
      stopped: z.boolean().optional(),
    },
    'the time of the data and of the Date header of the services',
    ({ clock }, { set: ms, speed, stopped }) => {
      clock.set({ ms, speed, stopped });
      return clockState(clock);
    },
    ({ set }) => set !== undefined,
  ),
  'POST /control/faults': command(
    faultOrder.shape,
    'what goes wrong, for `count` requests or streams, or for so many real milliseconds',
    ({ faults, services }, order) => faults.start(order, services),
  ),
  'DELETE /control/faults': command(
    {},
    'ends all faults; a request that hangs already goes on hanging',
    ({ faults }) => {
      faults.clear();
      return { faults: [] };
    },
  ),
  'GET /control/calls': command(
    { service: z.enum(SERVICE_LABELS).optional(), route: z.string().optional() },
    '{total, calls}',
    ({ calls, services }, { service, route }) => {
      if (route !== 'unknown') checkRoute(services, route);
      return calls.find(service, route);
    },
  ),
  'DELETE /control/calls': command({}, 'counts from 0 again', ({ calls }) => {
    calls.clear();
    return calls.find();
  }),
  'POST /control/dialect': command(
    { logs: z.enum(['text', 'number']) },
    'how network_id and gas_limit are written',
    ({ modes }, { logs }) => {
      modes.logsDialect = logs;
      return { logs };
    },
    true,
  ),
  'POST /control/generation': command(
    { generation: z.enum(['after', 'before']) },
    'the signatures of the old host: after or before the upgrade',
    ({ modes }, { generation }) => Object.assign(modes, { generation }) && { generation },
  ),
  'POST /control/rows': command(
    { keeper, rows: z.array(z.string()) },
    'JSON texts, served as they are in front of every list, whatever its filter',
    ({ modes }, { keeper: name, rows }) => {
      modes.oddRows.set(name, rows);
      return { keeper: name, rows: rows.length };
    },
    true,
  ),
  'DELETE /control/rows': command(
    {},
    'removes these rows',
    ({ modes }) => {
      modes.oddRows.clear();
      return { rows: 0 };
    },
    true,
  ),
  'POST /control/logs': command(
    { keeper, order: logOrder },
    'what becomes of the rows of one log service; times are those of the sandbox clock',
    ({ overlays, clock }, { keeper: name, order }) => overlays[name].start(order, clock.now()),
  ),
  'DELETE /control/logs': command(
    { keeper: keeper.optional(), kind: z.enum(LOG_ORDER_KINDS).optional() },
    'withdraws these orders',
    ({ overlays }, { keeper: only, kind }) => {
      for (const name of KEEPERS) if (only === undefined || only === name) overlays[name].end(kind);
      return activeLogOrders(overlays);
    },
  ),
  'POST /control/live': command(
    { requestsPerMin: z.number().gt(0).max(6000).nullable() },
    'so many requests a minute come to all networks together from now on, by day and night; null: as before the start',
    ({ world, clock }, { requestsPerMin }) => {
      world.setRate(requestsPerMin, clock.now());
      return { requestsPerMin };
    },
  ),
  'POST /control/wallet': command(
    {
      network_id: z.string(),
      wei: z
        .string()
        .regex(/^\d{1,30}$/)
        .nullable(),
    },
    'the balance of the keeper’s wallet on the chain of one network, decimal digits; null: as at the start',
    ({ modes }, { network_id: id, wei }) => {
      if (networkNumber(id) === undefined) throw new Refusal(400, 'No such network');
      if (wei === null) modes.walletWei.delete(id);
      else modes.walletWei.set(id, BigInt(wei));
      return { network_id: id, wei };
    },
  ),
  'POST /control/scenario': command(
    { name: z.enum(SCENARIO_NAMES) },
    'what goes wrong in the log services from now on, in the place of the one before',
    ({ world, clock }, { name }) => {
      world.setScenario(name, clock.now());
      return describeScenario(world);
    },
    true,
  ),
  'POST /control/reset': command({}, 'everything as after the start; open streams stay open', reset, true),
};

/** A command that rewrites the past waits for every listener that has a copy of it. */
export async function handleControl(
  parts: Parts,
  request: SandboxRequest,
  res: ServerResponse,
): Promise<void> {
  const key = `${request.method} ${request.path.replace(/\/$/, '')}`;
  try {
    refuseCaller(parts, request);
    const command = Object.hasOwn(COMMANDS, key) ? COMMANDS[key] : undefined;
    if (!command) throw new Refusal(404, `There is:\n${Object.keys(COMMANDS).join('\n')}`);
    const read = command.schema.safeParse(readInput(request));
    if (!read.success) throw new Refusal(400, z.prettifyError(read.error));
    const answer = command.act(parts, read.data);
    if (command.rewrites(read.data)) await notifyRewrite(parts, key);
    reply(res, 200, 'application/json', JSON.stringify(answer));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, message: detail } = error;
    const problem = { type: 'about:blank', title: STATUS_CODES[status], status, detail };
    reply(res, status, 'application/problem+json', JSON.stringify(problem));
  }
}

/** A failing listener does not affect the others. */
async function notifyRewrite({ rewrites, maxRewriteMs }: Parts, order: string): Promise<void> {
  const applied = [...rewrites].map((listener) =>
    listener(order).catch((error) => console.error('sandbox: a listener of rewrites failed:', error)),
  );
  await Promise.race([Promise.all(applied), wait(maxRewriteMs, undefined, { ref: false })]);
}

function readInput({ method, body, query }: SandboxRequest): unknown {
  if (method !== 'POST') return Object.fromEntries(query);
  try {
    return body.trim() === '' ? {} : JSON.parse(body);
  } catch {
    throw new Refusal(400, 'Takes a JSON object; this is not JSON');
  }
}

/** Refuses cross-site callers. Any page in the browser can reach the sandbox, but none may control it. */
function refuseCaller({ hostName }: Parts, { method, headers }: SandboxRequest): void {
  const host = (headers.host ?? '').toLowerCase();
  const allowedHosts = ['localhost', '127.0.0.1', '[::1]', hostName.toLowerCase()];
  if (!allowedHosts.includes(host.replace(/:\d*$/, '')))
    throw new Refusal(421, 'Not served under this host name');
  const { origin, 'sec-fetch-site': site = '', 'content-type': type = '' } = headers;
  if (/^(cross|same)-site$/.test(String(site)) || (origin && origin !== `http://${host}`)) {
    throw new Refusal(403, 'Cross-site requests are refused');
  }
  if (method === 'POST' && !/^application\/json *(;|$)/i.test(type)) {
    throw new Refusal(415, 'Takes content-type: application/json');
  }
}

function reset(parts: Parts): unknown {
  const { calls, clock, faults, modes, overlays, world } = parts;
  faults.clear();
  calls.clear();
  Object.assign(modes, initialModes());
  clock.set({ ms: clock.realNow(), speed: 1, stopped: false });
  world.restart(clock.now());
  for (const name of KEEPERS) overlays[name].end();
  return clockState(clock);
}

function activeLogOrders({ main, test }: Parts['overlays']): unknown {
  return { main: main.active(), test: test.active() };
}

function clockState(clock: Parts['clock']): unknown {
  return { now: new Date(clock.now()).toISOString(), speed: clock.speed, stopped: clock.stopped };
}

function overview({
  clock,
  modes,
  overlays,
  world,
  services,
  streams,
  faults,
  seed,
  records,
}: Parts): unknown {
  world.moveTo(clock.now());
  const { scenario } = world;
  return {
    clock: clockState(clock),
    seed,
    records,
    dialect: { logs: modes.logsDialect },
    generation: modes.generation,
    live: { requestsPerMin: world.rate },
    wallets: Object.fromEntries([...modes.walletWei].map(([id, wei]) => [id, String(wei)])),
    rows: Object.fromEntries([...modes.oddRows].map(([name, rows]) => [name, rows.length])),
    logs: activeLogOrders(overlays),
    scenario: scenario ? { name: scenario.name, since: new Date(scenario.sinceMs).toISOString() } : null,
    scenarios: Object.entries(ENTRIES).map(([name, [shows]]) => ({ name, shows })),
    faults: faults.active(),
    services: services.map(({ name, base, routes }) => ({
      name,
      base,
      routes: Object.keys(routes),
      openStreams: streams.streamsOf(name).length,
    })),
    routes: Object.entries(COMMANDS).map(([route, { does, schema }]) => ({
      route,
      does,
      takes: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
    })),
  };
}
