import 'server-only';
import type { z } from 'zod';
import { badRequest, failed, type Outcome, ok } from '@/lib/core/outcome';
import { processWide } from '@/lib/platform/process-wide';
import { callerOfFetch } from './caller';
import { tooManyFailure } from './login-throttle';

type Chunks = AsyncIterable<Uint8Array>;

/** Separate, so that refused callers take no memory from admitted ones. In all 170 MB, however slowly bodies arrive. */
const LIMITS = {
  // A password of 8192 characters, all of them escaped.
  'sign-in': { bytes: 64 * 1024, named: '64 kB', maxPerClient: 20, max: 1000 },
  // A thousand targets with names of usual length.
  order: { bytes: 512 * 1024, named: '512 kB', maxPerClient: 10, max: 20 },
  gateway: { bytes: 1024 * 1024, named: '1 MB', maxPerClient: 50, max: 100 },
};
type BodyKind = keyof typeof LIMITS;

/** A body that is too large is not read. @param client its sender @throws if the caller aborts */
export async function readBody(
  kind: BodyKind,
  client: string,
  { body, headers }: { body: Chunks | null; headers: Headers },
): Promise<Outcome<string>> {
  const { bytes, named, max, maxPerClient } = LIMITS[kind];
  const tooLarge = badRequest(`The body is larger than ${named}.`);
  const length = Number(headers.get('content-length') ?? 0);
  if (length > bytes) return tooLarge;
  if (!body) return ok('');
  const slots = processWide<ConcurrencyLimit>(`bodies of ${kind}`).ensure(
    () => new ConcurrencyLimit(max, maxPerClient),
  );
  const release = slots.acquire([client]);
  if (release === undefined) return failed(tooManyFailure('Too many requests at once.', 5));
  try {
    const text = await readUpTo(bytes, length, body);
    return text === undefined ? tooLarge : ok(text);
  } finally {
    release();
  }
}

export function isJson(headers: Headers): boolean {
  return /^application\/json\s*(;|$)/i.test(headers.get('content-type') ?? '');
}

/** @param form describes the schema in the error message */
export async function readJsonBody<T>(
  kind: BodyKind,
  request: Request,
  schema: z.ZodType<T>,
  form: string,
): Promise<Outcome<T>> {
  if (!isJson(request.headers)) return badRequest(form);
  try {
    // Also throws if a caller aborts while sending.
    const text = await readBody(kind, callerOfFetch(request).address, request);
    if (!text.ok) return text;
    const read = schema.safeParse(JSON.parse(text.value));
    return read.success ? ok(read.data) : badRequest(form);
  } catch {
    return badRequest(form);
  }
}

/** One buffer: thousands of chunks take no more memory than their bytes. Undefined if over `max` bytes. */
async function readUpTo(max: number, length: number, body: Chunks): Promise<string | undefined> {
  let bytes: Buffer = Buffer.alloc(Math.min(length, max));
  let end = 0;
  for await (const chunk of body) {
    const next = end + chunk.byteLength;
    if (next > max) return undefined;
    if (next > bytes.length) bytes = Buffer.concat([bytes], Math.max(next, 2 * bytes.length));
    bytes.set(chunk, end);
    end = next;
  }
  return new TextDecoder().decode(bytes.subarray(0, end));
}

/** Limits uses in all and per client, because each holds memory for as long as its client likes. */
export class ConcurrencyLimit {
  readonly #slots = new Set<readonly string[]>();

  constructor(
    private readonly max: number,
    private readonly maxPerClient: number,
  ) {}

  /** Returns the release; undefined if no slot is free. @param client keys; empty for callers on this machine */
  acquire(client: readonly string[] = []): (() => void) | undefined {
    const takenBy = (key: string) => [...this.#slots].filter((keys) => keys.includes(key)).length;
    if (this.#slots.size >= this.max || client.some((key) => takenBy(key) >= this.maxPerClient))
      return undefined;
    const slot = [...client];
    this.#slots.add(slot);
    return () => void this.#slots.delete(slot);
  }
}
