import zlib from 'node:zlib';
import type { BodyBudget, BodyShare } from './body-budget';
import { BodyBuffer } from './body-buffer';

/**
 * What became of a body. `cut`: it went over the cap and its text is only the beginning. `crowded`: given up, since all bodies
 * together were too large and it was the largest.
 */
export type ReadBody =
  | { kind: 'whole' | 'cut'; body: CollectedBody }
  | { kind: 'broken'; problem: string }
  | { kind: 'crowded' };

/** Bytes that become text when they are asked to: for a large body that is work of its own. */
export type CollectedBody = {
  readonly bytes: number;
  text(): string;
  /** Nobody needs it any more, nor what was made of it: its room is for other bodies. */
  release(): void;
};

export type BodyReader = {
  /** False: wait with more until `onReady` is called. */
  write(chunk: Buffer): boolean;
  /** All bytes have come. */
  end(): void;
  /** Nobody wants the body any more. */
  stop(): void;
};

export type BodyReaderOptions = {
  /** The header `Content-Encoding`. */
  encoding: string;
  /** Cap in bytes, counted after decompression. */
  maxBytes: number;
  /** Content-Length, or 0. */
  expectedBytes: number;
  /** What all bodies share; the cap alone holds where there is none. */
  budget: BodyBudget | undefined;
  onReady(): void;
  onRead(body: ReadBody): void;
};

/** The compressions we ask for, and can therefore read. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/**
 * Reads a body, compressed or not, and counts what comes out of the decompression, so that a small body can't
 * become a large one. `onRead` is called once.
 */
export function createBodyReader(options: BodyReaderOptions): BodyReader {
  const encoding = options.encoding.trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return new PlainReader(options);
  return new InflatingReader(options, encoding);
}

/** What has come of a body, within its cap and its share of what all may take. */
class Intake implements CollectedBody {
  readonly #buffer: BodyBuffer;
  readonly #share: BodyShare | undefined;

  constructor({ maxBytes, budget }: BodyReaderOptions, expectedBytes: number, giveWay: () => void) {
    this.#buffer = new BodyBuffer(maxBytes, expectedBytes);
    this.#share = budget?.join(giveWay);
  }

  /** Whether more may come; where there is no room among the others, `giveWay` was called. */
  append(piece: Uint8Array): 'more' | 'cut' | 'crowded' {
    if (this.#share?.take(piece.length) === false) return 'crowded';
    return this.#buffer.append(piece) ? 'more' : 'cut';
  }

  /** It came as far as it is wanted, and waits to be read. */
  settle(): this {
    this.#share?.settle();
    return this;
  }

  get bytes(): number {
    return this.#buffer.bytes;
  }

  text(): string {
    return this.#buffer.text();
  }

  release(): void {
    this.#share?.release();
  }
}

class PlainReader implements BodyReader {
  readonly #options: BodyReaderOptions;
  readonly #intake: Intake;
  #done = false;

  constructor(options: BodyReaderOptions) {
    this.#options = options;
    this.#intake = new Intake(options, options.expectedBytes, () => this.#finish({ kind: 'crowded' }));
  }

  write(chunk: Buffer): boolean {
    if (!this.#done && this.#intake.append(chunk) === 'cut') this.#finishWith('cut');
    return true;
  }

  end(): void {
    this.#finishWith('whole');
  }

  stop(): void {
    if (!this.#done) this.#intake.release();
    this.#done = true;
  }

  #finishWith(kind: 'whole' | 'cut'): void {
    if (!this.#done) this.#finish({ kind, body: this.#intake.settle() });
  }

  #finish(body: ReadBody): void {
    if (this.#done) return;
    this.#done = true;
    this.#options.onRead(body);
  }
}

class InflatingReader implements BodyReader {
  readonly #options: BodyReaderOptions;
  readonly #encoding: string;
  readonly #intake: Intake;
  #inflater: zlib.Gunzip | zlib.Inflate | zlib.InflateRaw | zlib.BrotliDecompress | undefined;
  #done = false;

  constructor(options: BodyReaderOptions, encoding: string) {
    this.#options = options;
    this.#encoding = encoding;
    this.#intake = new Intake(options, 0, () => this.#finish({ kind: 'crowded' }));
  }

  write(chunk: Buffer): boolean {
    if (this.#done || chunk.length === 0) return true;
    this.#inflater ??= this.#start(chunk[0] ?? 0);
    return this.#inflater?.write(chunk) ?? true;
  }

  end(): void {
    // Without a single byte there is nothing to inflate: an empty body, whatever the header says.
    if (this.#inflater) this.#inflater.end();
    else this.#finishWith('whole');
  }

  stop(): void {
    if (!this.#done) this.#intake.release();
    this.#done = true;
    this.#inflater?.destroy();
  }

  #start(firstByte: number) {
    const inflater = inflaterFor(this.#encoding, firstByte);
    if (!inflater) {
      this.#finish({ kind: 'broken', problem: 'it is compressed in a way we did not ask for' });
      return undefined;
    }
    inflater.on('data', (piece: Buffer) => {
      if (!this.#done && this.#intake.append(piece) === 'cut') this.#finishWith('cut');
    });
    inflater.on('drain', () => this.#options.onReady());
    inflater.on('end', () => this.#finishWith('whole'));
    inflater.on('error', () => this.#finish({ kind: 'broken', problem: 'its compression is damaged' }));
    return inflater;
  }

  #finishWith(kind: 'whole' | 'cut'): void {
    if (!this.#done) this.#finish({ kind, body: this.#intake.settle() });
  }

  #finish(body: ReadBody): void {
    if (this.#done) return;
    this.#done = true;
    this.#inflater?.destroy();
    if (body.kind === 'broken') this.#intake.release();
    this.#options.onRead(body);
  }
}

function inflaterFor(encoding: string, firstByte: number) {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'deflate':
      // Some servers send bare deflate data under this name; a zlib header always has 8 in its low bits.
      return (firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
    default:
      return undefined;
  }
}
