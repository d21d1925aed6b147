import 'server-only';
import type { z } from 'zod';
import { badRequest, failed, type Outcome, ok } from '@/lib/core/outcome';
import { processWide } from '@/lib/platform/process-wide';
import { callerOfFetch } from './caller';
import { tooManyFailure } from './login-throttle';

type Chunks = AsyncIterable<Uint8Array>;

/**
 * Each kind has room of its own, so that whoever may not come in takes none from those who may. Together they hold 170 MB,
 * however slowly they come.
 */
const LIMITS = {
  // A password of 8192 characters, each escaped.
  'sign-in': { bytes: 64 * 1024, named: '64 kB', maxPerClient: 20, max: 1000 },
  // Of two hundred targets with long names, in a page's own words.
  order: { bytes: 512 * 1024, named: '512 kB', maxPerClient: 10, max: 20 },
  gateway: { bytes: 1024 * 1024, named: '1 MB', maxPerClient: 50, max: 100 },
};
type BodyKind = keyof typeof LIMITS;

/** The body as text; what is too large is not read. @param client its sender @throws when the caller breaks off */
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
  const release = slots.take([client]);
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

/** The body as JSON of this schema; anything else is answered with its `form` in words. */
export async function readJsonBody<T>(
  kind: BodyKind,
  request: Request,
  schema: z.ZodType<T>,
  form: string,
): Promise<Outcome<T>> {
  if (!isJson(request.headers)) return badRequest(form);
  try {
    // Whoever breaks off while he sends it is an exception too.
    const text = await readBody(kind, callerOfFetch(request).address, request);
    if (!text.ok) return text;
    const read = schema.safeParse(JSON.parse(text.value));
    return read.success ? ok(read.data) : badRequest(form);
  } catch {
    return badRequest(form);
  }
}

/** Into one piece of memory: a body that comes in thousands of pieces takes no more than its bytes. */
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

/** Bounds how much of one kind is under way at once, where each holds memory for as long as its client likes. */
export class ConcurrencyLimit {
  readonly #slots = new Set<readonly string[]>();

  constructor(
    private readonly max: number,
    private readonly maxPerClient: number,
  ) {}

  /** A place, given back by calling the result; undefined when none is left. @param client empty where there is one */
  take(client: readonly string[] = []): (() => void) | undefined {
    const takenBy = (key: string) => [...this.#slots].filter((keys) => keys.includes(key)).length;
    if (this.#slots.size >= this.max || client.some((key) => takenBy(key) >= this.maxPerClient))
      return undefined;
    const slot = [...client];
    this.#slots.add(slot);
    return () => void this.#slots.delete(slot);
  }
}
