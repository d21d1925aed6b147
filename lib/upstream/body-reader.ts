import zlib from 'node:zlib';
import { BodyBuffer } from './body-buffer';

/** What became of a body. `cut`: it went over the cap and its text is only the beginning. */
export type ReadBody = { kind: 'whole' | 'cut'; body: CollectedBody } | { kind: 'broken'; problem: string };

/** Bytes that become text when they are asked to: for a large body that is work of its own. */
export type CollectedBody = { readonly bytes: number; text(): string };

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

class PlainReader implements BodyReader {
  readonly #options: BodyReaderOptions;
  readonly #buffer: BodyBuffer;
  #done = false;

  constructor(options: BodyReaderOptions) {
    this.#options = options;
    this.#buffer = new BodyBuffer(options.maxBytes, options.expectedBytes);
  }

  write(chunk: Buffer): boolean {
    if (!this.#done && !this.#buffer.append(chunk)) this.#finish('cut');
    return true;
  }

  end(): void {
    this.#finish('whole');
  }

  stop(): void {
    this.#done = true;
  }

  #finish(kind: 'whole' | 'cut'): void {
    if (this.#done) return;
    this.#done = true;
    this.#options.onRead({ kind, body: this.#buffer });
  }
}

class InflatingReader implements BodyReader {
  readonly #options: BodyReaderOptions;
  readonly #encoding: string;
  readonly #buffer: BodyBuffer;
  #inflater: zlib.Gunzip | zlib.Inflate | zlib.InflateRaw | zlib.BrotliDecompress | undefined;
  #done = false;

  constructor(options: BodyReaderOptions, encoding: string) {
    this.#options = options;
    this.#encoding = encoding;
    this.#buffer = new BodyBuffer(options.maxBytes, 0);
  }

  write(chunk: Buffer): boolean {
    if (this.#done || chunk.length === 0) return true;
    this.#inflater ??= this.#start(chunk[0] ?? 0);
    return this.#inflater?.write(chunk) ?? true;
  }

  end(): void {
    // Without a single byte there is nothing to inflate: an empty body, whatever the header says.
    if (this.#inflater) this.#inflater.end();
    else this.#finish({ kind: 'whole', body: this.#buffer });
  }

  stop(): void {
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
      if (!this.#done && !this.#buffer.append(piece)) this.#finish({ kind: 'cut', body: this.#buffer });
    });
    inflater.on('drain', () => this.#options.onReady());
    inflater.on('end', () => this.#finish({ kind: 'whole', body: this.#buffer }));
    inflater.on('error', () => this.#finish({ kind: 'broken', problem: 'its compression is damaged' }));
    return inflater;
  }

  #finish(body: ReadBody): void {
    if (this.#done) return;
    this.stop();
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
