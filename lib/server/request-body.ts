import 'server-only';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { processWide } from './process-wide';
import { UnderWay } from './under-way';

/** A body as it arrives: a Node request, or the stream of a fetch request. */
export type Chunks = AsyncIterable<Uint8Array>;

/** Which bodies; each kind has room of its own, so that whoever may not come in takes none from those who may. */
export type BodyKind = 'sign-in' | 'gateway';

type Bounds = { bytes: number; named: string; mostOfOne: number; most: number };

/**
 * A sign-in: a password of 8192 characters, each escaped. The gateway: thousands of feed ids; the services take no larger
 * body. Together they hold 160 MB, however slowly their callers send: a person has one under way, a program a few.
 */
const BOUNDS: Record<BodyKind, Bounds> = {
  'sign-in': { bytes: 64 * 1024, named: '64 kB', mostOfOne: 20, most: 1000 },
  gateway: { bytes: 1024 * 1024, named: '1 MB', mostOfOne: 50, most: 100 },
};

const RETRY_AFTER_S = 5;

/**
 * The body as text, empty without one. What is too large is not read to its end.
 * @param client what its sender is counted by
 * @throws when the caller breaks off
 */
export async function readBody(
  kind: BodyKind,
  client: string,
  { body, contentLength }: { body: Chunks | undefined; contentLength: string | null | undefined },
): Promise<Outcome<string>> {
  const { bytes, named } = BOUNDS[kind];
  const tooLarge: Failure = { kind: 'bad-request', detail: `The body is larger than ${named}.` };
  if (Number(contentLength ?? 0) > bytes) return failed(tooLarge);
  if (!body) return ok('');
  const read = await underWayOf(kind).run(client, () => readUpTo(bytes, body));
  if (read === undefined) return failed(TOO_MANY);
  return read.done === undefined ? failed(tooLarge) : ok(read.done);
}

const TOO_MANY: Failure = {
  kind: 'too-many',
  detail: `Too many requests are being sent here at once. Try again in ${RETRY_AFTER_S} s.`,
  retryAfterS: RETRY_AFTER_S,
};

async function readUpTo(most: number, body: Chunks): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > most) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function underWayOf(kind: BodyKind): UnderWay {
  const shared = processWide<UnderWay>(`bodies of ${kind}`);
  const known = shared.get() ?? new UnderWay(BOUNDS[kind]);
  shared.set(known);
  return known;
}
