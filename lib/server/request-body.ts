import 'server-only';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { processWide } from './process-wide';

export type Chunks = AsyncIterable<Uint8Array>;

/** Which bodies; each kind has room of its own, so that whoever may not come in takes none from those who may. */
export type BodyKind = 'sign-in' | 'order' | 'gateway';

type Bounds = { bytes: number; named: string; mostOfOne: number; most: number };

/**
 * A sign-in: a password of 8192 characters, each escaped. The gateway: thousands of feed ids; the services take no larger
 * body. Together they hold 170 MB, however slowly their callers send: a person has one under way, a program a few.
 */
const BOUNDS: Record<BodyKind, Bounds> = {
  'sign-in': { bytes: 64 * 1024, named: '64 kB', mostOfOne: 20, most: 1000 },
  // Of two hundred targets with long names, in a page's own words.
  order: { bytes: 512 * 1024, named: '512 kB', mostOfOne: 10, most: 20 },
  gateway: { bytes: 1024 * 1024, named: '1 MB', mostOfOne: 50, most: 100 },
};

const RETRY_AFTER_S = 5;

/** The body as text; what is too large is not read. @param client its sender @throws when the caller breaks off */
export async function readBody(
  kind: BodyKind,
  client: string,
  { body, headers }: { body: Chunks | null; headers: Headers },
): Promise<Outcome<string>> {
  const { bytes, named } = BOUNDS[kind];
  const tooLarge: Failure = { kind: 'bad-request', detail: `The body is larger than ${named}.` };
  const length = Number(headers.get('content-length') ?? 0);
  if (length > bytes) return failed(tooLarge);
  if (!body) return ok('');
  const read = await limitOf(kind).run(client, () => readUpTo(bytes, length, body));
  if (read === undefined) return failed(TOO_MANY);
  return read.done === undefined ? failed(tooLarge) : ok(read.done);
}

const TOO_MANY: Failure = {
  kind: 'too-many',
  detail: `Too many requests at once. Try again in ${RETRY_AFTER_S} s.`,
  retryAfterS: RETRY_AFTER_S,
};

/** Into one piece of memory: a body that comes in thousands of pieces takes no more than its bytes. */
async function readUpTo(most: number, length: number, body: Chunks): Promise<string | undefined> {
  let bytes: Buffer = Buffer.alloc(Math.min(length, most));
  let end = 0;
  for await (const chunk of body) {
    const next = end + chunk.byteLength;
    if (next > most) return undefined;
    if (next > bytes.length) bytes = Buffer.concat([bytes], Math.max(next, 2 * bytes.length));
    bytes.set(chunk, end);
    end = next;
  }
  return new TextDecoder().decode(bytes.subarray(0, end));
}

function limitOf(kind: BodyKind): ConcurrencyLimit {
  const shared = processWide<ConcurrencyLimit>(`bodies of ${kind}`);
  return shared.ensure(() => new ConcurrencyLimit(BOUNDS[kind]));
}

/** At once for one key, such as an address, and altogether. */
export type ConcurrencyLimits = { mostOfOne: number; most: number };

/** Bounds how much of one kind is under way at once, where each holds memory for as long as its caller likes. */
export class ConcurrencyLimit {
  readonly #byKey = new Map<string, number>();
  #count = 0;

  constructor(private readonly limits: ConcurrencyLimits) {}

  get hasRoom(): boolean {
    return this.#count < this.limits.most;
  }

  /** Runs the work while there is room for one more of this key; undefined when there is none. */
  async run<T>(key: string, work: () => Promise<T>): Promise<{ done: T } | undefined> {
    const own = this.#byKey.get(key) ?? 0;
    if (own >= this.limits.mostOfOne || !this.hasRoom) return undefined;
    this.#byKey.set(key, own + 1);
    this.#count += 1;
    try {
      return { done: await work() };
    } finally {
      this.#count -= 1;
      const left = (this.#byKey.get(key) ?? 1) - 1;
      if (left > 0) this.#byKey.set(key, left);
      else this.#byKey.delete(key);
    }
  }
}
