import type { ServerResponse } from 'node:http';
import type { HeldFault, RequestFault } from './faults';
import { reply } from './service';

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

function replyStatus(fault: Extract<RequestFault, { kind: 'status' }>, res: ServerResponse): void {
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
