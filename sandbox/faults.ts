import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { type Reach, reply, type ServiceLabel } from './service';

/** A text that may stand in a header. */
const headerText = z.string().regex(/^[\t\x20-\x7e]*$/);
/** A fault that is only its kind. */
const bare = <K extends string>(kind: K) => ({
  schema: z.strictObject({ kind: z.literal(kind) }),
  takes: '',
});

/** Every kind of fault: its schema, and its members in words. */
export const FAULTS = {
  status: {
    schema: z.strictObject({
      kind: z.literal('status'),
      status: z.int().min(200).max(599),
      retryAfter: z.union([headerText, z.number().transform(String)]).optional(),
      body: z.string().optional(),
      contentType: headerText.optional(),
    }),
    takes: '"status": 200 to 599, optional "retryAfter": seconds or a date, "body", "contentType": texts',
  },
  html: bare('html'),
  redirect: {
    schema: z.strictObject({
      kind: z.literal('redirect'),
      to: headerText,
      status: z.literal([301, 302, 303, 307, 308]).default(302),
    }),
    takes: '"to": the Location, optional "status": 301, 302 (default), 303, 307 or 308',
  },
  truncate: {
    schema: z.strictObject({ kind: z.literal('truncate'), bytes: z.int().min(0).optional() }),
    takes: 'optional "bytes": how many of the body are sent (default: half)',
  },
  body: {
    schema: z.strictObject({
      kind: z.literal('body'),
      body: z.string(),
      contentType: headerText.default('application/json'),
    }),
    takes: '"body": text, optional "contentType" (default application/json)',
  },
  delay: {
    schema: z.strictObject({ kind: z.literal('delay'), ms: z.int().min(1).max(3_600_000) }),
    takes: '"ms": a whole number from 1 to 3600000',
  },
  trickle: bare('trickle'),
  hang: bare('hang'),
  drop: bare('drop'),
  'close-stream': bare('close-stream'),
  'reset-stream': bare('reset-stream'),
  silence: bare('silence'),
  event: {
    schema: z.strictObject({ kind: z.literal('event'), text: z.string() }),
    takes: '"text": raw SSE text, with its blank line at the end',
  },
};

type FaultKind = keyof typeof FAULTS;
type FaultOf<K extends FaultKind> = z.output<(typeof FAULTS)[K]['schema']>;
type Fault = FaultOf<FaultKind>;

/** The ends of a stream: of those open now, and with a count or a time also of those to come. */
type StreamEnd = FaultOf<'close-stream' | 'reset-stream'>;
/** What can be made to happen to streams, at once. Only an end can hold for streams to come. */
export type StreamFault = StreamEnd | FaultOf<'silence' | 'event'>;
/** What can wait for requests. */
export type HeldFault = Exclude<Fault, FaultOf<'silence' | 'event'>>;

/** Where and how long a fault holds. Neither `count` nor `forMs`: a request fault holds until it is taken away. */
export type FaultOrder<F extends Fault> = Reach & {
  fault: F;
  /** Real milliseconds from now on. With `count` too, whichever ends first. */
  forMs?: number;
};

type ActiveFault = {
  id: number;
  service: string;
  route?: string;
  fault: HeldFault;
  remaining?: number;
  endsInMs?: number;
};

type Held = { id: number; order: FaultOrder<HeldFault>; remaining: number; untilMs: number };

export function isStreamFault(fault: Fault): fault is StreamFault {
  return ['close-stream', 'reset-stream', 'silence', 'event'].includes(fault.kind);
}

/** The faults that wait for requests. Of several that match, the oldest is used first. */
export class FaultBoard {
  private held: Held[] = [];
  private lastId = 0;

  /** `realNow`: real milliseconds. */
  constructor(private readonly realNow: () => number) {}

  /** An id for a fault that was carried out at once. */
  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** Holds a fault for the requests to come and returns its id. */
  add(order: FaultOrder<HeldFault>): number {
    const id = this.nextId();
    const untilMs = order.forMs === undefined ? Number.POSITIVE_INFINITY : this.realNow() + order.forMs;
    this.held.push({ id, order, remaining: order.count ?? Number.POSITIVE_INFINITY, untilMs });
    return id;
  }

  /** The fault for one request, if any; uses up one of its count. */
  take(service: ServiceLabel, route: string): HeldFault | undefined {
    this.forgetEnded();
    const hit = this.held.find(
      ({ order }) =>
        (order.service === '*' || order.service === service) &&
        (order.route === undefined || order.route === route),
    );
    if (hit) hit.remaining -= 1;
    return hit?.order.fault;
  }

  active(): ActiveFault[] {
    this.forgetEnded();
    return this.held.map(({ id, order, remaining, untilMs }) => ({
      id,
      service: order.service,
      ...(order.route === undefined ? {} : { route: order.route }),
      fault: order.fault,
      ...(Number.isFinite(remaining) ? { remaining } : {}),
      ...(Number.isFinite(untilMs) ? { endsInMs: Math.ceil(untilMs - this.realNow()) } : {}),
    }));
  }

  clear(): void {
    this.held = [];
  }

  private forgetEnded(): void {
    const now = this.realNow();
    this.held = this.held.filter(({ remaining, untilMs }) => remaining > 0 && untilMs > now);
  }
}

/** One byte a second. */
const TRICKLE_MS = 1000;
/** Where a truncated answer is cut when its length is not known, as with a stream. */
const TRUNCATED_STREAM_BYTES = 100;

const HTML_PAGE = `<!doctype html>
<html><head><title>Just a moment...</title></head>
<body><h1>Just a moment...</h1><p>Checking your browser before you go on.</p><script>document.title='x'</script></body></html>
`;

const STATUS_TEXT: Record<number, string> = {
  400: 'Bad request',
  401: 'Missing or invalid API key',
  403: 'Forbidden',
  404: 'Not found',
  429: 'Too many requests',
  500: 'Internal server error',
  502: 'Bad gateway',
  503: 'This service is temporarily unavailable',
  504: 'Gateway timeout',
};

/** Timers that run for a fault; ended together with the sandbox. */
export class FaultTimers {
  private readonly running = new Set<NodeJS.Timeout>();

  after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.running.delete(timer);
      run();
    }, ms);
    this.running.add(timer);
  }

  clear(): void {
    for (const timer of this.running) clearTimeout(timer);
    this.running.clear();
  }
}

/**
 * Carries out a fault on one request. `proceed` answers the request in the ordinary way: some faults
 * replace that answer, some delay it, some change its bytes.
 */
export function applyFault(
  fault: HeldFault,
  res: ServerResponse,
  timers: FaultTimers,
  proceed: () => void,
): void {
  switch (fault.kind) {
    case 'status':
      replyStatus(fault, res);
      break;
    case 'html':
      reply(res, 200, 'text/html; charset=utf-8', HTML_PAGE);
      break;
    case 'redirect':
      reply(res, fault.status, 'text/plain; charset=utf-8', '', { location: fault.to });
      break;
    case 'body':
      reply(res, 200, fault.contentType, fault.body);
      break;
    case 'truncate':
      truncate(res, fault.bytes);
      proceed();
      break;
    case 'trickle':
      trickle(res, timers);
      proceed();
      break;
    case 'delay':
      timers.after(fault.ms, () => {
        if (!res.destroyed) proceed();
      });
      break;
    case 'hang':
      break;
    case 'drop':
      res.destroy();
      break;
    case 'close-stream':
    case 'reset-stream':
      // Carried out on the stream once it is open.
      proceed();
      break;
  }
}

function replyStatus(fault: FaultOf<'status'>, res: ServerResponse): void {
  const headers: Record<string, string> = {};
  if (fault.retryAfter !== undefined) headers['retry-after'] = fault.retryAfter;
  const body = fault.body ?? STATUS_TEXT[fault.status] ?? `Status ${fault.status}`;
  reply(res, fault.status, fault.contentType ?? 'text/plain; charset=utf-8', body, headers);
}

/** Replaces `write` and `end` of a response, so that a service need not know of the fault. */
function intercept(res: ServerResponse, onBytes: (bytes: Buffer, last: boolean) => void): void {
  const take = (chunk: unknown, last: boolean) => {
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, 'utf8')
        : chunk instanceof Uint8Array
          ? Buffer.from(chunk)
          : Buffer.alloc(0);
    onBytes(bytes, last);
  };
  res.write = ((chunk: unknown) => {
    take(chunk, false);
    return true;
  }) as ServerResponse['write'];
  res.end = ((chunk?: unknown) => {
    take(chunk, true);
    return res;
  }) as ServerResponse['end'];
}

/** Sends the head as it is (Content-Length of the whole body too), a part of the body, then cuts the connection. */
function truncate(res: ServerResponse, bytes: number | undefined): void {
  const write = res.write.bind(res) as (chunk: Buffer, done: () => void) => boolean;
  let sent = 0;
  let cut = false;
  intercept(res, (chunk, last) => {
    if (cut) return;
    const limit = bytes ?? (last && sent === 0 ? Math.floor(chunk.length / 2) : TRUNCATED_STREAM_BYTES);
    const part = chunk.subarray(0, Math.max(0, limit - sent));
    sent += part.length;
    cut = last || sent >= limit;
    const cutNow = () => {
      if (cut) res.destroy();
    };
    if (part.length > 0) write(part, cutNow);
    else if (cut) {
      // Nothing of the body is to be sent: the head alone goes out before the cut.
      res.flushHeaders();
      setImmediate(cutNow);
    }
  });
}

/** Sends the head at once and the body at one byte a second. */
function trickle(res: ServerResponse, timers: FaultTimers): void {
  const write = res.write.bind(res) as (chunk: Buffer) => boolean;
  const end = res.end.bind(res) as () => ServerResponse;
  const waiting: Buffer[] = [];
  let finished = false;
  let running = false;
  const step = () => {
    const first = waiting[0];
    if (res.destroyed) return;
    if (first === undefined) {
      running = false;
      if (finished) end();
      return;
    }
    write(first.subarray(0, 1));
    if (first.length > 1) waiting[0] = first.subarray(1);
    else waiting.shift();
    timers.after(TRICKLE_MS, step);
  };
  intercept(res, (chunk, last) => {
    // A stream that goes on for hours behind a trickle must not fill the memory.
    if (chunk.length > 0 && (last || waiting.length < 1000)) waiting.push(chunk);
    finished ||= last;
    if (!running) {
      running = true;
      res.flushHeaders();
      timers.after(TRICKLE_MS, step);
    }
  });
}
