import { type ServerResponse, STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { reply, type SandboxStream } from './responses';

/** What a fault of a request acts on; `proceed` answers the request in the ordinary way. */
type Target = { res: ServerResponse; after: After; proceed: () => void };

export type After = (ms: number, run: () => void) => void;

export type Fault = { kind: FaultKind };

/** What a fault does, either to one request or to a stream: to one that is open, or just opened. */
type Acts<F> = {
  onRequest?(fault: F, target: Target): void;
  /** `untilMs`: the end of the fault in real milliseconds. */
  onStream?(stream: SandboxStream, fault: F, untilMs: number): void;
};

/** `takes`: its members in words. */
function fault<S extends z.ZodRawShape>(
  shape: S,
  takes: string,
  acts: Acts<z.output<z.ZodObject<S>> & Fault>,
) {
  const acting: Acts<Fault> = acts;
  return { schema: z.strictObject({ kind: z.string(), ...shape }), takes, ...acting };
}

/** A text that may stand in a header. */
const headerText = z.string().regex(/^[\t\x20-\x7e]*$/);
const TEXT_TYPE = 'text/plain; charset=utf-8';

const STATUS_TEXT: Record<number, string | undefined> = {
  ...STATUS_CODES,
  401: 'Missing or invalid API key',
  503: 'This service is temporarily unavailable',
};

const HTML_PAGE = `<!doctype html>
<html><head><title>Just a moment...</title></head>
<body><h1>Just a moment...</h1><p>Checking your browser before you go on.</p><script>document.title='x'</script></body></html>
`;

/** Every kind of fault. Those of streams reach the streams that are open, and the ends also those to come. */
export const FAULTS = {
  status: fault(
    {
      status: z.int().min(200).max(599),
      retryAfter: z.union([headerText, z.number().transform(String)]).optional(),
      body: z.string().optional(),
      contentType: headerText.default(TEXT_TYPE),
    },
    '"status": 200 to 599, optional "retryAfter": seconds or a date, "body", "contentType": texts',
    {
      onRequest: ({ status, retryAfter, body, contentType }, { res }) => {
        const text = body ?? STATUS_TEXT[status] ?? `Status ${status}`;
        reply(res, status, contentType, text, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
      },
    },
  ),
  html: fault({}, '', {
    onRequest: (_, { res }) => reply(res, 200, 'text/html; charset=utf-8', HTML_PAGE),
  }),
  redirect: fault(
    { to: headerText, status: z.literal([301, 302, 303, 307, 308]).default(302) },
    '"to": the Location, optional "status": 301, 302 (default), 303, 307 or 308',
    { onRequest: ({ status, to }, { res }) => reply(res, status, TEXT_TYPE, '', { location: to }) },
  ),
  truncate: fault(
    { bytes: z.int().min(0).optional() },
    'optional "bytes": how many of the body are sent (default: half)',
    {
      onRequest: ({ bytes }, { res, proceed }) => {
        truncate(res, bytes);
        proceed();
      },
    },
  ),
  body: fault(
    { body: z.string(), contentType: headerText.default('application/json') },
    '"body": text, optional "contentType" (default application/json)',
    { onRequest: ({ body, contentType }, { res }) => reply(res, 200, contentType, body) },
  ),
  delay: fault({ ms: z.int().min(1).max(3_600_000) }, '"ms": a whole number from 1 to 3600000', {
    onRequest: ({ ms }, { res, after, proceed }) =>
      after(ms, () => {
        if (!res.destroyed) proceed();
      }),
  }),
  trickle: fault({}, '', {
    onRequest: (_, { res, after, proceed }) => {
      trickle(res, after);
      proceed();
    },
  }),
  hang: fault({}, '', { onRequest: () => undefined }),
  drop: fault({}, '', { onRequest: (_, { res }) => res.destroy() }),
  'close-stream': fault({}, '', { onStream: (stream) => stream.end() }),
  'reset-stream': fault({}, '', { onStream: (stream) => stream.destroy() }),
  silence: fault({}, '', { onStream: (stream, _, untilMs) => stream.silence(untilMs) }),
  event: fault({ text: z.string() }, '"text": raw SSE text, with its blank line at the end', {
    onStream: (stream, { text }) => stream.writeRaw(text),
  }),
};

type FaultKind = keyof typeof FAULTS;

/** Which requests or streams a fault hits, and how long it holds. */
export type FaultOrder = {
  /** '*': every service. */
  service: string;
  /** Absent: every route of the service. */
  route?: string | undefined;
  fault: Fault;
  /** How many requests or streams it hits; of the streams that are open, the newest. */
  count?: number | undefined;
  /** Real milliseconds from now on. With `count` too, whichever ends first; with neither it holds until it is taken away. */
  forMs?: number | undefined;
};

type Held = { id: number; order: FaultOrder; remaining: number; untilMs: number };

/** The faults that wait for requests. Of several that match, the oldest is used first. */
export class FaultBoard {
  private held: Held[] = [];
  private lastId = 0;

  /** `realNow`: real milliseconds. */
  constructor(private readonly realNow: () => number) {}

  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  add(order: FaultOrder): number {
    const { count: remaining = Number.POSITIVE_INFINITY, forMs = Number.POSITIVE_INFINITY } = order;
    const id = this.nextId();
    this.held.push({ id, order, remaining, untilMs: this.realNow() + forMs });
    return id;
  }

  take(service: string, route: string): Fault | undefined {
    const hit = this.holding().find(
      ({ order }) =>
        (order.service === '*' || order.service === service) &&
        (order.route === undefined || order.route === route),
    );
    if (hit) hit.remaining -= 1;
    return hit?.order.fault;
  }

  /** As JSON shows them: what has no end has none there either. */
  active(): unknown[] {
    return this.holding().map(({ id, order: { service, route, fault: its }, remaining, untilMs }) => ({
      ...{ id, service, route, fault: its },
      remaining: Number.isFinite(remaining) ? remaining : undefined,
      endsInMs: Number.isFinite(untilMs) ? Math.ceil(untilMs - this.realNow()) : undefined,
    }));
  }

  clear(): void {
    this.held = [];
  }

  private holding(): Held[] {
    const now = this.realNow();
    this.held = this.held.filter(({ remaining, untilMs }) => remaining > 0 && untilMs > now);
    return this.held;
  }
}

const TRICKLE_MS = 1000;
/** Where a truncated answer is cut when its length is not known, as with a stream. */
const TRUNCATED_STREAM_BYTES = 100;

/** Replaces `write` and `end` of a response, so that a service need not know of the fault. */
function intercept(res: ServerResponse, onBytes: (bytes: Buffer, last: boolean) => void): void {
  const take = (last: boolean) => (chunk?: string | Uint8Array) => {
    onBytes(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk ?? []), last);
    return last ? res : true;
  };
  Object.assign(res, { write: take(false), end: take(true) });
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

/** A stream that goes on for hours behind a trickle must not fill the memory. */
const MAX_TRICKLE_BYTES = 1_000_000;

/** Sends the head at once and the body at one byte a second. */
function trickle(res: ServerResponse, after: After): void {
  const write = res.write.bind(res) as (chunk: Buffer) => boolean;
  const end = res.end.bind(res) as () => ServerResponse;
  let waiting = Buffer.alloc(0);
  let isLast = false;
  let isRunning = false;
  const step = () => {
    if (res.destroyed) return;
    isRunning = waiting.length > 0;
    if (isRunning) {
      write(waiting.subarray(0, 1));
      waiting = waiting.subarray(1);
      after(TRICKLE_MS, step);
    } else if (isLast) end();
  };
  intercept(res, (chunk, last) => {
    if (last || waiting.length < MAX_TRICKLE_BYTES) waiting = Buffer.concat([waiting, chunk]);
    isLast ||= last;
    if (isRunning) return;
    isRunning = true;
    res.flushHeaders();
    after(TRICKLE_MS, step);
  });
}
