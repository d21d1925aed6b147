import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { SandboxStream } from './responses';

/** The key that every service of the sandbox asks for, as `Authorization: Bearer sandbox-key`. */
export const SANDBOX_KEY = 'sandbox-key';

/** The simulated services, by the names that faults and counters use. */
export const SERVICE_LABELS = ['logs:main', 'logs:test', 'updates', 'upgraded', 'router'] as const;

/** A request with its path and query cut apart, both as they came. */
export type SandboxRequest = {
  method: string;
  /** For a service: below its base, '/v2/updates/price/latest'. */
  path: string;
  rawQuery: string;
  query: URLSearchParams;
  body: string;
  headers: IncomingHttpHeaders;
};

/** The JSON of an answer, or what takes over a stream whose head is sent. */
type Answer = string | ((stream: SandboxStream) => void);

type Route = {
  /** A GET takes HEAD as well. */
  method: 'GET' | 'POST';
  path: string | RegExp;
  isPublic?: true;
  /** Throws a Refusal; any other exception becomes a 500. */
  answer: (request: SandboxRequest) => Answer | Promise<Answer>;
};

export function get(path: Route['path'], answer: Route['answer']): Route {
  return { method: 'GET', path, answer };
}

/** One simulated service: routing, the record of the call, faults and the key check are done before it answers. */
export type SandboxService = {
  name: (typeof SERVICE_LABELS)[number];
  /** Path prefix, without a slash at its end. */
  base: string;
  /** By their names; the first that fits is taken. The one that opens streams is `stream`. */
  routes: Record<string, Route>;
  /** How far its clock is ahead of that of the sandbox; absent: not at all. */
  clockOffMs?(): number;
};

/** An answer of 4xx with a plain text that says why. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    text: string,
  ) {
    super(text);
  }
}

/**
 * The parameters of a query, read strictly; unknown ones are ignored. `name[]`, `name[0]` … are the array `name`; any other that
 * is there twice is refused. Throws a Refusal (400).
 */
export function readQuery<S extends z.ZodRawShape>(
  shape: S,
  query: URLSearchParams,
): z.output<z.ZodObject<S>> {
  const refuse = (problem: string) => new Refusal(400, `Failed to deserialize query string: ${problem}`);
  const input: Record<string, string | string[]> = {};
  for (const [name, value] of query) {
    const [, list = name] = /^(\w+)\[\d*\]$/.exec(name) ?? [];
    if (!Object.hasOwn(shape, list)) continue;
    const known = input[list];
    if (known !== undefined && (list === name || typeof known === 'string'))
      throw refuse(`duplicate field \`${list}\``);
    input[list] = list === name ? value : [...(known ?? []), value];
  }
  const read = z.object(shape).safeParse(input);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw refuse(`${issue?.path.join('.')}: ${issue?.message}`);
}

/** One of several things that are told apart by their `kind`. */
export function kind<K extends string, S extends z.ZodRawShape>(name: K, shape: S, does = '') {
  return z.strictObject({ kind: z.literal(name), ...shape }).describe(does);
}

const ZONE = /(Z|[+-]\d\d:\d\d)$/;

/** An ISO 8601 time, UTC without a zone, as unix ms rounded down; `isCut` where it is finer. */
export const isoTime = z
  .union([z.iso.date(), z.iso.datetime({ local: true, offset: true })], 'input is not an ISO 8601 time')
  .transform((text) => ({
    ms: Date.parse(text.includes('T') && !ZONE.test(text) ? `${text}Z` : text),
    isCut: /\.\d{3}\d*[1-9]/.test(text),
  }));
