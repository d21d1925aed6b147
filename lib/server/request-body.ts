import 'server-only';

/** Room for thousands of feed ids; the services take no larger body. */
const MOST_BYTES = 1024 * 1024;

/** A body as it arrives: a Node request, or the stream of a fetch request. */
export type Chunks = AsyncIterable<Uint8Array>;

/** The body as text: empty without one, undefined when it is over 1 MB (the rest is then not read). */
export async function readBody(
  body: Chunks | undefined,
  contentLength: string | null | undefined,
): Promise<string | undefined> {
  if (Number(contentLength ?? 0) > MOST_BYTES) return undefined;
  if (!body) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
