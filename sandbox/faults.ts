import { type ServerResponse, STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { reply, type SandboxStream, type StreamRegistry, TEXT_TYPE } from './responses';
import { kind, Refusal, type SandboxService, SERVICE_LABELS } from './service';

const headerText = z.string().regex(/^[\t\x20-\x7e]*$/);

const fault = z.discriminatedUnion('kind', [
  kind('status', {
    status: z.int().min(200).max(599),
    retryAfter: z.union([headerText, z.number().transform(String)]).optional(),
    body: z.string().optional(),
    contentType: headerText.default(TEXT_TYPE),
  }),
  kind('html', {}, 'a page of HTML with 200'),
  kind('redirect', { to: headerText, status: z.literal([301, 302, 303, 307, 308]).default(302) }),
  kind(
    'truncate',
    { bytes: z.int().min(0).optional() },
    'so many bytes of the body, or half of it, then a cut',
  ),
  kind('body', { body: z.string(), contentType: headerText.default('application/json') }),
  kind('delay', { ms: z.int().min(1).max(3_600_000) }),
  kind('trickle', {}, 'a byte a second'),
  kind('hang', {}, 'no answer'),
  kind('drop', {}, 'the connection is cut'),
  kind('close-stream', {}),
  kind('reset-stream', {}),
  kind('silence', {}, 'open streams send nothing; needs forMs'),
  kind(
    'event',
    { text: z.string() },
    'raw SSE text into the open streams, with its blank line at the end; no forMs',
  ),
]);
type Fault = z.output<typeof fault>;

/** Faults of open streams. Those that end one can also apply to later ones. */
const STREAM_FAULTS: readonly string[] = ['close-stream', 'reset-stream', 'silence', 'event'];

/**
 * `service` may be '*' for all, `route` absent for all. Lasts for `count` requests (or as many of the newest open
 * streams) or `forMs` real milliseconds, whichever ends first; without both, until it is deleted.
 */
export const faultOrder = z.strictObject({
  service: z.enum([...SERVICE_LABELS, '*']),
  route: z.string().optional(),
  fault,
  count: z.int().min(1).max(1_000_000).optional(),
  forMs: z.int().min(1).max(86_400_000).optional(),
});
type FaultOrder = z.output<typeof faultOrder>;

const STATUS_TEXT: Record<number, string | undefined> = {
  ...STATUS_CODES,
  401: 'Missing or invalid API key',
  503: 'This service is temporarily unavailable',
};

const HTML_PAGE = `<!doctype html>
<html><head><title>Just a moment...</title></head>
<body><h1>Just a moment...</h1><p>Checking your browser before you go on.</p><script>document.title='x'</script></body></html>
`;

/** `proceed` answers the request normally. */
export function applyToRequest(fault: Fault, res: ServerResponse, proceed: () => void): unknown {
  switch (fault.kind) {
    case 'status': {
      const text = fault.body ?? STATUS_TEXT[fault.status] ?? `Status ${fault.status}`;
      const headers = fault.retryAfter === undefined ? undefined : { 'retry-after': fault.retryAfter };
      return reply(res, fault.status, fault.contentType, text, headers);
    }
    case 'html':
      return reply(res, 200, 'text/html; charset=utf-8', HTML_PAGE);
    case 'redirect':
      return reply(res, fault.status, TEXT_TYPE, '', { location: fault.to });
    case 'body':
      return reply(res, 200, fault.contentType, fault.body);
    case 'delay':
      return setTimeout(() => res.destroyed || proceed(), fault.ms).unref();
    case 'hang':
      return;
    case 'drop':
      return res.destroy();
    case 'truncate':
      truncate(res, fault.bytes);
      break;
    case 'trickle':
      trickle(res);
  }
  proceed();
}

/** `untilMs` is the end of the fault in real milliseconds. */
export function applyToStream(fault: Fault, stream: SandboxStream, untilMs = 0): void {
  if (fault.kind === 'close-stream') stream.end();
  if (fault.kind === 'reset-stream') stream.destroy();
  if (fault.kind === 'silence') stream.silentUntilMs = untilMs;
  if (fault.kind === 'event') stream.writeRaw(fault.text);
}

export function checkRoute(services: readonly SandboxService[], route: string | undefined): string[] {
  const routes = [...new Set(services.flatMap((service) => Object.keys(service.routes)))];
  if (route === undefined || routes.includes(route)) return routes;
  throw new Refusal(
    400,
    `route: takes ${routes.map((route) => `"${route}"`).join(', ')}, or is left out for all`,
  );
}

type ActiveFault = { id: number; order: FaultOrder; remaining: number; untilMs: number };

/** Faults that were set. If several match a request, the oldest is used first. */
export class FaultBoard {
  private activeFaults: ActiveFault[] = [];
  private lastId = 0;

  constructor(
    private readonly realNow: () => number,
    private readonly streams: StreamRegistry,
  ) {}

  /** Faults of requests wait for them; faults of streams apply to open streams at once. Throws a Refusal. */
  start(order: FaultOrder, services: readonly SandboxService[]): { id: number; streams?: number } {
    const { service, fault, count, forMs, route = 'stream' } = order;
    const refuseIf = (isWrong: boolean, text: string) => {
      if (isWrong) throw new Refusal(400, text);
    };
    const named = services.filter(({ name }) => service === '*' || name === service);
    const routes = checkRoute(named, order.route);
    if (!STREAM_FAULTS.includes(fault.kind)) return { id: this.activate(order) };
    refuseIf(route !== 'stream' || !routes.includes(route), `${fault.kind}: there are no streams here`);
    refuseIf(fault.kind === 'silence' && forMs === undefined, 'silence needs forMs');
    refuseIf(fault.kind === 'event' && forMs !== undefined, 'event is written at once: it takes no forMs');
    const reached = this.streams.streamsOf(service, count);
    for (const stream of reached) applyToStream(fault, stream, this.realNow() + (forMs ?? 0));
    // The rest of the count, or of the time, applies to streams that are opened later.
    const left = count === undefined ? undefined : count - reached.length;
    const staysActive =
      fault.kind.endsWith('-stream') && (left === undefined ? forMs !== undefined : left > 0);
    return {
      id: staysActive ? this.activate({ ...order, route, count: left }) : ++this.lastId,
      streams: reached.length,
    };
  }

  consume(service: string, route: string): Fault | undefined {
    const hit = this.stillActive().find(
      ({ order }) => ['*', service].includes(order.service) && [undefined, route].includes(order.route),
    );
    if (hit) hit.remaining -= 1;
    return hit?.order.fault;
  }

  /** Faults as JSON. An endless fault has no end there. */
  active(): unknown[] {
    return this.stillActive().map(({ id, order: { service, route, fault }, remaining, untilMs }) => ({
      id,
      service,
      route,
      fault,
      remaining: Number.isFinite(remaining) ? remaining : undefined,
      endsInMs: Number.isFinite(untilMs) ? Math.ceil(untilMs - this.realNow()) : undefined,
    }));
  }

  clear(): void {
    this.activeFaults = [];
    for (const stream of this.streams.streamsOf('*')) stream.silentUntilMs = 0;
  }

  private activate(order: FaultOrder): number {
    const { count: remaining = Number.POSITIVE_INFINITY, forMs = Number.POSITIVE_INFINITY } = order;
    this.activeFaults.push({ id: ++this.lastId, order, remaining, untilMs: this.realNow() + forMs });
    return this.lastId;
  }

  private stillActive(): ActiveFault[] {
    const now = this.realNow();
    this.activeFaults = this.activeFaults.filter(({ remaining, untilMs }) => remaining > 0 && untilMs > now);
    return this.activeFaults;
  }
}

/** Replaces `write` and `end` of a response, so that services need not know about faults. */
function intercept(res: ServerResponse, onBytes: (bytes: Buffer, last: boolean) => void): void {
  const write = (last: boolean) => (chunk?: string | Uint8Array) => {
    onBytes(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk ?? []), last);
    return last ? res : true;
  };
  Object.assign(res, { write: write(false), end: write(true) });
}

/** An answer of unknown length, such as a stream, is cut here. */
const TRUNCATED_STREAM_BYTES = 100;

/** The head has the Content-Length of the whole body. After a part of the body, the connection is cut. */
function truncate(res: ServerResponse, bytes: number | undefined): void {
  const write = res.write.bind(res) as (chunk: Buffer, done: () => void) => boolean;
  let sent = 0;
  intercept(res, (chunk, last) => {
    const limit = bytes ?? (last && sent === 0 ? Math.floor(chunk.length / 2) : TRUNCATED_STREAM_BYTES);
    const part = chunk.subarray(0, Math.max(0, limit - sent));
    sent += part.length;
    write(part, () => {
      if (last || sent >= limit) res.destroy();
    });
  });
}

/** A long stream must not fill the memory. */
const MAX_TRICKLE_BYTES = 1_000_000;

/** The head at once, the body at one byte a second. */
function trickle(res: ServerResponse): void {
  const write = res.write.bind(res) as (chunk: Buffer) => boolean;
  const end = res.end.bind(res) as () => ServerResponse;
  let waiting = Buffer.alloc(0);
  let isLast = false;
  let timer: NodeJS.Timeout | undefined;
  const step = () => {
    if (waiting.length > 0) write(waiting.subarray(0, 1));
    else if (isLast) end();
    waiting = waiting.subarray(1);
  };
  res.once('close', () => clearInterval(timer));
  intercept(res, (chunk, last) => {
    if (last || waiting.length < MAX_TRICKLE_BYTES) waiting = Buffer.concat([waiting, chunk]);
    isLast ||= last;
    if (!timer) res.flushHeaders();
    timer ??= setInterval(step, 1000).unref();
  });
}
