/** Where the bytes of an export go. Each is ended once, by `finish` or `discard`. */
export type ExportSink = {
  write(chunk: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Keeps what came, under a name that says when it is not everything. Tells that name. */
  finish(worth: 'complete' | 'incomplete'): Promise<string>;
  discard(): Promise<void>;
};

/** So much is held as single chunks; then it becomes a Blob, which browsers move to disk when there are many. */
const FLUSH_BYTES = 8 * 1024 * 1024;

/**
 * Collects the file and hands it over at the end, for the browser's own download.
 * @param save gives the file to the person, under a name
 */
export function blobSink(
  fileName: string,
  type: string,
  save: (file: Blob, fileName: string) => void,
): ExportSink {
  let blobs: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let waiting = 0;
  return {
    async write(chunk) {
      chunks.push(chunk);
      waiting += chunk.length;
      if (waiting < FLUSH_BYTES) return;
      blobs.push(new Blob(chunks));
      chunks = [];
      waiting = 0;
    },
    async finish(worth) {
      const name = worth === 'complete' ? fileName : incompleteName(fileName);
      save(new Blob([...blobs, ...chunks], { type }), name);
      return name;
    },
    async discard() {
      blobs = [];
      chunks = [];
    },
  };
}

/** `requests.csv` → `requests-incomplete.csv`. */
export function incompleteName(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  return `${fileName.slice(0, dot)}-incomplete${fileName.slice(dot)}`;
}

/** What is used of a file that a person chose; its name cannot be changed any more. */
type ChosenFile = {
  name: string;
  createWritable(): Promise<{
    write(chunk: Uint8Array<ArrayBuffer>): Promise<void>;
    close(): Promise<void>;
    abort(): Promise<void>;
  }>;
};

/** Writes straight into a chosen file, so that nothing is held in memory. It is in place when it is finished. */
export async function fileSink(file: ChosenFile): Promise<ExportSink> {
  const writable = await file.createWritable();
  return {
    write: (chunk) => writable.write(chunk),
    async finish() {
      await writable.close();
      return file.name;
    },
    discard: () => writable.abort(),
  };
}

/** Smaller files go where all downloads go; for larger ones it is worth to ask where, since they need no memory then. */
const ASK_FROM_ROWS = 50_000;
/** Nobody is as fast: a dialog that ends sooner was never shown, as in browsers without a screen of their own. */
const FASTEST_PERSON_MS = 200;

type Picker = (options: { suggestedName: string }) => Promise<ChosenFile>;

/** The browser around a download. */
export type SinkEdges = {
  picker: Picker | undefined;
  save: (file: Blob, fileName: string) => void;
  /** Milliseconds. */
  now(): number;
};

/** The place for a file of about so many rows; undefined when the person did not want to choose one. */
export async function chooseSink(
  fileName: string,
  type: string,
  rows: number,
  { picker, save, now }: SinkEdges,
): Promise<ExportSink | undefined> {
  const downloads = blobSink(fileName, type, save);
  if (picker === undefined || rows < ASK_FROM_ROWS) return downloads;
  const askedAt = now();
  try {
    return await fileSink(await picker({ suggestedName: fileName }));
  } catch (error) {
    const isRefusal = error instanceof DOMException && error.name === 'AbortError';
    return isRefusal && now() - askedAt >= FASTEST_PERSON_MS ? undefined : downloads;
  }
}

/** A Blob's address is needed until the browser has begun to read it. */
const ADDRESS_MS = 60_000;

/** Those of this window. */
export function windowSinkEdges(): SinkEdges {
  const picker: unknown = Reflect.get(window, 'showSaveFilePicker');
  return {
    picker: typeof picker === 'function' ? (options) => picker.call(window, options) : undefined,
    now: () => performance.now(),
    save(file, fileName) {
      const address = URL.createObjectURL(file);
      const link = document.createElement('a');
      link.href = address;
      link.download = fileName;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), ADDRESS_MS);
    },
  };
}
