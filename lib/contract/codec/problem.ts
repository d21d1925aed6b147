import type { Failure } from '@/lib/core/outcome';
import { isProblemKind, type Problem, problem } from '@/lib/core/problem';

const SERVICES = ['logs', 'updates', 'upgraded', 'router'] as const;

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads an error answer of our own routes. Always gives a problem: where the text is none (the page of a proxy in
 * between, an empty body), one that says so, without showing that text.
 * @param status the HTTP status of the answer, when known.
 */
export function readProblem(text: string, status?: number): Problem {
  const body = readObject(text);
  if (body === undefined || !isProblemKind(body.kind) || typeof body.detail !== 'string') {
    return unexplained(status);
  }
  const service = SERVICES.find((name) => name === body.service);
  const known = problem(body.kind, body.detail);
  return {
    ...known,
    ...(typeof body.title === 'string' ? { title: body.title } : {}),
    ...(typeof body.status === 'number' ? { status: body.status } : {}),
    ...(service === undefined ? {} : { service }),
    ...(typeof body.retryAfterS === 'number' ? { retryAfterS: body.retryAfterS } : {}),
  };
}

function unexplained(status: number | undefined): Problem {
  const said = status === undefined ? 'something' : `HTTP ${status} with something`;
  const reply = problem(
    'malformed',
    `The dashboard, or a proxy before it, answered ${said} that is not ours.`,
  );
  return { ...reply, title: 'Unreadable answer', ...(status === undefined ? {} : { status }) };
}

/** An error answer of ours as a failure. What was refused at our own door is all one to a page: a bad question. */
export function failureOfProblem({ kind, service, detail, retryAfterS }: Problem): Failure {
  return {
    kind: failureKind(kind),
    detail,
    ...(service === undefined ? {} : { service }),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  };
}

function failureKind(kind: Problem['kind']): Failure['kind'] {
  switch (kind) {
    // Without a service it is our own door that stays shut.
    case 'not-signed-in':
      return 'unauthorized';
    case 'forbidden':
    case 'no-such-route':
    case 'method':
    case 'misdirected':
      return 'bad-request';
    case 'starting':
      return 'unreachable';
    default:
      return kind;
  }
}
