import zlib from 'node:zlib';
import { BodyBuffer } from './body-buffer';

/** What became of a body. `cut`: it went over the cap and its text is only the beginning. */
export type ReadBody = { kind: 'whole' | 'cut'; body: CollectedBody } | { kind: 'broken'; problem: string };

/** Bytes that become text when they are asked to: for a large body that is work of its own. */
export type CollectedBody = Pick<BodyBuffer, 'bytes' | 'text'>;

export type BodyReaderOptions = {
  /** The header `Content-Encoding`. */
  encoding: string;
  /** Cap in bytes, counted after decompression. */
  maxBytes: number;
  /** Content-Length, or 0. */
  expectedBytes: number;
  /** More may be written. */
  onReady(): void;
  /** Called once. */
  onRead(body: ReadBody): void;
};

/** The compressions we ask for, and can therefore read. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/**
 * Reads a body, compressed or not, and counts what comes out of the decompression, so that a small body can't
 * become a large one.
 */
export class BodyReader {
  readonly #options: BodyReaderOptions;
  readonly #encoding: string;
  readonly #buffer: BodyBuffer;
  #inflater: ReturnType<typeof inflaterFor>;
  #done = false;

  constructor(options: BodyReaderOptions) {
    this.#options = options;
    const encoding = options.encoding.trim().toLowerCase();
    this.#encoding = encoding === 'identity' ? '' : encoding;
    this.#buffer = new BodyBuffer(options.maxBytes, this.#encoding === '' ? options.expectedBytes : 0);
  }

  /** False: wait with more until `onReady` is called. */
  write(chunk: Buffer): boolean {
    if (this.#done || chunk.length === 0) return true;
    if (this.#encoding === '') {
      this.#take(chunk);
      return true;
    }
    this.#inflater ??= this.#start(chunk[0] ?? 0);
    return this.#inflater?.write(chunk) ?? true;
  }

  /** All bytes have come. */
  end(): void {
    // Without a single byte there is nothing to inflate: an empty body, whatever the header says.
    if (this.#inflater) this.#inflater.end();
    else this.#finish({ kind: 'whole', body: this.#buffer });
  }

  /** Nobody wants the body any more. */
  stop(): void {
    this.#done = true;
    this.#inflater?.destroy();
  }

  #take(piece: Uint8Array): void {
    if (!this.#done && !this.#buffer.append(piece)) this.#finish({ kind: 'cut', body: this.#buffer });
  }

  #start(firstByte: number) {
    const inflater = inflaterFor(this.#encoding, firstByte);
    if (!inflater) {
      this.#finish({ kind: 'broken', problem: 'it is compressed in a way we did not ask for' });
      return undefined;
    }
    inflater.on('data', (piece: Buffer) => this.#take(piece));
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
