import 'server-only';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A dot never follows a slash or another dot, so no path can leave the folder. */
const BUILT = /^\/_next\/static\/[\w/~-]+(?:\.[\w~-]+)*\.(?:js|css)$/;

/** Content types as Next sends them. */
const TYPES: Record<string, string> = {
  '.js': 'application/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
};

const compress = promisify(gzip);
const compressed = new Map<string, Promise<Buffer>>();

/** A script or style of the production build, whose name changes with its content. */
export function isBuiltFile(pathname: string): boolean {
  return process.env.NODE_ENV === 'production' && BUILT.test(pathname);
}

/** Compresses once, where Next would for each request. What is not a plain gzip request is left to Next. */
export async function answerBuiltFile(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  pathname: string,
  next: () => void,
): Promise<void> {
  const isPlain = ['range', 'if-none-match', 'if-modified-since'].every((header) => !(header in headers));
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0)/.test(String(headers['accept-encoding']));
  if (method !== 'GET' || !isPlain || !takesGzip) return next();
  const path = join('.next', pathname.slice('/_next/'.length));
  const file = compressed.get(path) ?? readFile(path).then((bytes) => compress(bytes));
  compressed.set(path, file);
  const bytes = await file.catch(() => undefined);
  if (bytes === undefined) compressed.delete(path);
  if (bytes === undefined || response.destroyed) return next();
  response.writeHead(200, {
    'content-type': TYPES[extname(path)],
    'content-encoding': 'gzip',
    'content-length': bytes.byteLength,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  });
  response.end(bytes);
}
