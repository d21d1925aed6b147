import { type AnyFaultOrder, type Fault, type FaultOrder, isStreamFault, type StreamFault } from './faults';
import { parseIsoTime } from './iso-time';
import { type SandboxService, STREAM_ROUTE } from './service';

/** What was understood, or a text that says what is taken. */
export type Read<T> = { ok: true; value: T } | { ok: false; problem: string };

const read = <T>(value: T): Read<T> => ({ ok: true, value });
const refuse = (problem: string): Read<never> => ({ ok: false, problem });

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The body of a control request: a JSON object; an empty body is an empty object. */
export function readFields(body: string): Read<Fields> {
  try {
    const value: unknown = body.trim() === '' ? {} : JSON.parse(body);
    return isFields(value) ? read(value) : refuse('Takes a JSON object');
  } catch {
    return refuse('Takes a JSON object; this is not JSON');
  }
}

/** The first member that is not one of `known`. */
export function stranger(fields: Fields, known: readonly string[]): string | undefined {
  return Object.keys(fields).find((name) => !known.includes(name));
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isAbsent = (value: unknown): value is undefined => value === undefined;

export function isWhole(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

export type ClockOrder = { set?: number; speed?: number; stopped?: boolean };

const CLOCK_TAKES =
  'Takes {"set": ISO 8601 time from 2000 to 2100, "speed": number above 0 and at most 86400, "stopped": true or false}, each optional';
const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

export function readClockOrder(fields: Fields): Read<ClockOrder> {
  const { set, speed, stopped } = fields;
  if (stranger(fields, ['set', 'speed', 'stopped']) !== undefined) return refuse(CLOCK_TAKES);
  const order: ClockOrder = {};
  if (!isAbsent(set)) {
    const time = isText(set) ? parseIsoTime(set) : undefined;
    if (!time || time.ms < EARLIEST || time.ms > LATEST) return refuse(CLOCK_TAKES);
    order.set = time.ms;
  }
  if (!isAbsent(speed)) {
    if (typeof speed !== 'number' || !(speed > 0) || speed > 86_400) return refuse(CLOCK_TAKES);
    order.speed = speed;
  }
  if (!isAbsent(stopped)) {
    if (typeof stopped !== 'boolean') return refuse(CLOCK_TAKES);
    order.stopped = stopped;
  }
  return read(order);
}

/** `{[name]: one of values}` and nothing else. */
export function readChoice<T extends string>(fields: Fields, name: string, values: readonly T[]): Read<T> {
  const value = values.find((one) => one === fields[name]);
  if (value !== undefined && stranger(fields, [name]) === undefined) return read(value);
  return refuse(`Takes {"${name}": ${values.map((one) => `"${one}"`).join(' or ')}}`);
}

export type RowsOrder = { keeper: string; rows: string[] };

export function readRowsOrder(fields: Fields, keepers: readonly string[]): Read<RowsOrder> {
  const { keeper, rows } = fields;
  const known = keepers.find((one) => one === keeper);
  const isAlone = stranger(fields, ['keeper', 'rows']) === undefined;
  if (isAlone && known !== undefined && Array.isArray(rows) && rows.every(isText)) {
    return read({ keeper: known, rows });
  }
  const names = keepers.map((one) => `"${one}"`).join(' or ');
  return refuse(`Takes {"keeper": ${names}, "rows": [the JSON text of a row, ...]}`);
}

export function readFaultOrder(fields: Fields, services: readonly SandboxService[]): Read<AnyFaultOrder> {
  const unknown = stranger(fields, ['service', 'route', 'fault', 'count', 'forMs']);
  if (unknown !== undefined) {
    return refuse(`Unknown member "${unknown}": takes service, route, fault, count, forMs`);
  }
  const { service, route, count, forMs } = fields;
  const chosen = service === '*' ? [...services] : services.filter(({ name }) => name === service);
  if (chosen.length === 0) {
    return refuse(`service: takes ${services.map(({ name }) => `"${name}"`).join(', ')} or "*" for all`);
  }
  const routes = [...new Set(chosen.flatMap((one) => [...one.routes]))];
  if (!isAbsent(route) && !routes.some((one) => one === route)) {
    return refuse(`route: takes ${routes.map((one) => `"${one}"`).join(', ')}, or is left out for all`);
  }
  if (!isAbsent(count) && !isWhole(count, 1, 1_000_000)) {
    return refuse('count: takes a whole number from 1 to 1000000');
  }
  if (!isAbsent(forMs) && !isWhole(forMs, 1, 86_400_000)) {
    return refuse('forMs: takes milliseconds, a whole number from 1 to 86400000');
  }
  const fault = readFault(fields.fault);
  if (!fault.ok) return fault;
  const order = { service, route, fault: fault.value, count, forMs } as AnyFaultOrder;
  return isStreamFault(order) ? checkStreamOrder(order, routes) : read(order);
}

/** Faults of streams reach the route that opens streams, and no other. */
function checkStreamOrder(order: FaultOrder<StreamFault>, routes: readonly string[]): Read<AnyFaultOrder> {
  const { kind } = order.fault;
  const { route = STREAM_ROUTE, forMs } = order;
  if (route !== STREAM_ROUTE || !routes.includes(route)) return refuse(`${kind}: there are no streams here`);
  if (kind === 'silence' && isAbsent(forMs)) return refuse('silence needs forMs');
  if (kind === 'event' && !isAbsent(forMs)) return refuse('event is written at once: it takes no forMs');
  return read({ ...order, route });
}

/** The optional `service` and `route` of a call count. */
export function readCallFilter(
  rawQuery: string,
  services: readonly SandboxService[],
): Read<{ service?: string; route?: string }> {
  const query = new URLSearchParams(rawQuery);
  const [service, route] = [query.get('service') ?? undefined, query.get('route') ?? undefined];
  const names = services.map(({ name }) => name as string);
  if (service !== undefined && !names.includes(service)) {
    return refuse(`service: takes ${names.join(', ')}, or is left out for all`);
  }
  const routes = [...new Set(services.flatMap((one) => [...one.routes])), 'unknown'];
  if (route !== undefined && !routes.includes(route)) {
    return refuse(`route: takes ${routes.join(', ')}, or is left out for all`);
  }
  return read({ service, route });
}

type FaultForm = {
  /** All members beside `kind`. */
  members: readonly string[];
  /** The same in words. */
  takes: string;
  /** Undefined when the members don't fit. */
  read: (fault: Fields) => Fault | undefined;
};

type BareKind = 'html' | 'trickle' | 'hang' | 'drop' | 'close-stream' | 'reset-stream' | 'silence';

/** A fault that is only its kind. */
function bare(kind: BareKind): FaultForm {
  return { members: [], takes: '', read: () => ({ kind }) };
}

const FAULTS: Record<Fault['kind'], FaultForm> = {
  status: {
    members: ['status', 'retryAfter', 'body', 'contentType'],
    takes: '"status": 200 to 599, optional "retryAfter": seconds or a date, "body", "contentType": texts',
    read: ({ status, retryAfter, body, contentType }) => {
      const wait = typeof retryAfter === 'number' ? String(retryAfter) : retryAfter;
      if (!isWhole(status, 200, 599) || !isHeader(wait) || !isHeader(contentType)) return undefined;
      if (!isAbsent(body) && !isText(body)) return undefined;
      return { kind: 'status', status, retryAfter: wait, body, contentType };
    },
  },
  html: bare('html'),
  redirect: {
    members: ['to', 'status'],
    takes: '"to": the Location, optional "status": 301, 302 (default), 303, 307 or 308',
    read: ({ to, status = 302 }) =>
      isText(to) && isHeader(to) && typeof status === 'number' && [301, 302, 303, 307, 308].includes(status)
        ? { kind: 'redirect', to, status }
        : undefined,
  },
  truncate: {
    members: ['bytes'],
    takes: 'optional "bytes": how many of the body are sent (default: half)',
    read: ({ bytes }) =>
      isAbsent(bytes) || isWhole(bytes, 0, Number.MAX_SAFE_INTEGER) ? { kind: 'truncate', bytes } : undefined,
  },
  body: {
    members: ['body', 'contentType'],
    takes: '"body": text, optional "contentType" (default application/json)',
    read: ({ body, contentType = 'application/json' }) =>
      isText(body) && isText(contentType) && isHeader(contentType)
        ? { kind: 'body', body, contentType }
        : undefined,
  },
  delay: {
    members: ['ms'],
    takes: '"ms": a whole number from 1 to 3600000',
    read: ({ ms }) => (isWhole(ms, 1, 3_600_000) ? { kind: 'delay', ms } : undefined),
  },
  trickle: bare('trickle'),
  hang: bare('hang'),
  drop: bare('drop'),
  'close-stream': bare('close-stream'),
  'reset-stream': bare('reset-stream'),
  silence: bare('silence'),
  event: {
    members: ['text'],
    takes: '"text": raw SSE text, with its blank line at the end',
    read: ({ text }) => (isText(text) ? { kind: 'event', text } : undefined),
  },
};

/** One line for each kind of fault, for the list that `GET /control` gives. */
export function describeFaults(): string[] {
  return Object.entries(FAULTS).map(([kind, { takes }]) => inWords(kind, takes));
}

function inWords(kind: string, takes: string): string {
  return `{"kind": "${kind}"${takes ? `, ${takes}` : ''}}`;
}

/** A text that may stand in a header, or nothing. */
function isHeader(value: unknown): value is string | undefined {
  return isAbsent(value) || (isText(value) && /^[\t\x20-\x7e]*$/.test(value));
}

function readFault(value: unknown): Read<Fault> {
  const kind = isFields(value) ? Object.keys(FAULTS).find((one) => one === value.kind) : undefined;
  if (!isFields(value) || kind === undefined) {
    return refuse(`fault: takes {"kind": ...}, one of ${Object.keys(FAULTS).join(', ')}`);
  }
  const { members, takes, read: readKind } = FAULTS[kind as Fault['kind']];
  const fault = stranger(value, ['kind', ...members]) === undefined ? readKind(value) : undefined;
  return fault ? read(fault) : refuse(`fault: takes ${inWords(kind, takes)}`);
}
