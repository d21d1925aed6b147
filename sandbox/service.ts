import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { SandboxStream } from './responses';

/** Required as `Authorization: Bearer sandbox-key`. */
export const SANDBOX_KEY = 'sandbox-key';

/** Labels in faults and counters. */
export const SERVICE_LABELS = ['logs:main', 'logs:test', 'updates', 'upgraded', 'router', 'rpc'] as const;

/** Path and query are as they arrived. */
export type SandboxRequest = {
  method: string;
  /** Path relative to the base of a service: '/v2/updates/price/latest'. */
  path: string;
  rawQuery: string;
  query: URLSearchParams;
  body: string;
  headers: IncomingHttpHeaders;
};

/** JSON, or a function that takes over a stream whose head has been sent. */
type Answer = string | ((stream: SandboxStream) => void);

type Route = {
  /** A GET route also answers HEAD. */
  method: 'GET' | 'POST';
  path: string | RegExp;
  isPublic?: true;
  /** Answers a request. It may throw a Refusal; any other exception becomes a 500. */
  answer: (request: SandboxRequest) => Answer | Promise<Answer>;
};

export function getRoute(path: Route['path'], answer: Route['answer']): Route {
  return { method: 'GET', path, answer };
}

/** Routing, the call log, faults and the key check come before its answer. */
export type SandboxService = {
  name: (typeof SERVICE_LABELS)[number];
  /** Address without a trailing slash. */
  base: string;
  /** The first match is used. The route that opens streams is named `stream`. */
  routes: Record<string, Route>;
  /** Ahead of the sandbox's clock; if absent, 0. */
  clockOffMs?(): number;
};

/** A 4xx answer in plain text. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    text: string,
  ) {
    super(text);
  }
}

/** `name[]`, `name[0]` … form the array `name`; any other repeated parameter is refused. Throws a Refusal (400). */
export function readQuery<S extends z.ZodRawShape>(
  shape: S,
  query: URLSearchParams,
): z.output<z.ZodObject<S>> {
  const refuse = (problem: string) => new Refusal(400, `Failed to deserialize query string: ${problem}`);
  const input: Record<string, string | string[]> = {};
  for (const [name, value] of query) {
    const [, list = name] = /^(\w+)\[\d*\]$/.exec(name) ?? [];
    if (!Object.hasOwn(shape, list)) continue;
    const current = input[list];
    if (current !== undefined && (list === name || typeof current === 'string'))
      throw refuse(`duplicate field \`${list}\``);
    input[list] = list === name ? value : [...(current ?? []), value];
  }
  const read = z.object(shape).safeParse(input);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw refuse(`${issue?.path.join('.')}: ${issue?.message}`);
}

export function kind<K extends string, S extends z.ZodRawShape>(name: K, shape: S, does = '') {
  return z.strictObject({ kind: z.literal(name), ...shape }).describe(does);
}

const ZONE = /(Z|[+-]\d\d:\d\d)$/;

/** A time in UTC if it names no zone; unix ms rounded down. `isCut`: it was finer. */
export const isoTime = z
  .union([z.iso.date(), z.iso.datetime({ local: true, offset: true })], 'input is not an ISO 8601 time')
  .transform((text) => ({
    ms: Date.parse(text.includes('T') && !ZONE.test(text) ? `${text}Z` : text),
    isCut: /\.\d{3}\d*[1-9]/.test(text),
  }));
