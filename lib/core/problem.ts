import * as z from 'zod/mini';
import { FAILURE_KINDS, type Failure, SERVICES } from './outcome';
import { tryParseJson } from './text';

/** Status, and a title that says what failed and on which side. */
const PROBLEMS = {
  'bad-request': [400, 'The request is not valid'],
  'not-signed-in': [401, 'Sign in first'],
  forbidden: [403, 'Not allowed'],
  'no-such-route': [404, 'No such route'],
  method: [405, 'Method not allowed'],
  'too-long': [414, 'The address is too long'],
  misdirected: [421, 'This host name is not served here'],
  'too-many': [429, 'Too many requests to this dashboard'],
  starting: [503, 'The dashboard is starting'],
  unconfigured: [503, 'The service is not configured'],
  rejected: [400, 'The service rejected the request'],
  missing: [404, 'The service found nothing'],
  unauthorized: [502, 'API key rejected by the service'],
  'rate-limited': [503, 'Rate-limited by the service'],
  failing: [502, 'The service returned an error'],
  unreachable: [502, 'The service is unreachable'],
  timeout: [504, 'The service timed out'],
  malformed: [502, 'Unreadable answer from the service'],
  'wrong-chain': [502, 'The RPC is of another chain'],
  'index-unavailable': [503, 'The index’s database is unavailable'],
} as const;

type ProblemKind = keyof typeof PROBLEMS;

const optionalOrInvalid = <T extends z.ZodMiniType>(schema: T) => z.catch(z.optional(schema), undefined);

const form = z.object({
  kind: z.enum(Object.keys(PROBLEMS) as ProblemKind[]),
  detail: z.string(),
  title: optionalOrInvalid(z.string()),
  status: optionalOrInvalid(z.number()),
  /** Absent if no service is at fault. */
  service: optionalOrInvalid(z.enum(SERVICES)),
  /** Seconds that are also sent as `Retry-After`. */
  retryAfterS: optionalOrInvalid(z.number()),
});

/** `application/problem+json` (RFC 9457). */
export type ProblemDetails = z.infer<typeof form> & { type: 'about:blank'; title: string; status: number };

export function problemDetails(kind: ProblemKind, detail: string): ProblemDetails {
  const [status, title] = PROBLEMS[kind];
  return { type: 'about:blank', title, status, kind, detail };
}

const definedMembers = <T extends object>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as Partial<T>;

/** The status follows from the kind; the service's status is never passed on. */
export const failureProblem = ({ kind, detail, service, retryAfterS }: Failure): ProblemDetails => {
  return { ...problemDetails(kind, detail), ...definedMembers({ service, retryAfterS }) };
};

function readForm(value: unknown): ProblemDetails | undefined {
  const { data } = form.safeParse(value);
  return data && { ...problemDetails(data.kind, data.detail), ...definedMembers(data) };
}

/** Other texts, such as the page of a proxy, become `malformed`. */
export function readProblem(text: string, status?: number): ProblemDetails {
  const answerName = status === undefined ? 'an answer' : `HTTP ${status}`;
  const detail = `Got ${answerName} that is not from the dashboard, perhaps from a proxy in front of it.`;
  const other = {
    ...problemDetails('malformed', detail),
    title: 'Unreadable answer',
    ...definedMembers({ status }),
  };
  return readForm(tryParseJson(text)) ?? other;
}

/** Errors of no failure kind become `bad-request`. */
export function failureOfProblem({ kind, service, detail, retryAfterS }: ProblemDetails): Failure {
  const failureKind = FAILURE_KINDS.find((name) => name === kind);
  // These kinds name no service, because our own server refused the request.
  const equivalents = { 'not-signed-in': 'unauthorized', starting: 'unreachable' } as const;
  const equivalent = kind in equivalents ? equivalents[kind as keyof typeof equivalents] : 'bad-request';
  return { kind: failureKind ?? equivalent, detail, ...definedMembers({ service, retryAfterS }) };
}

/** A member of an NDJSON line, without the service's status. */
export function problemMember({ kind, service, detail, retryAfterS }: Failure) {
  return { kind, detail, service, retryAfterS };
}

/** Reads what `problemMember` writes. */
export function failureMember(value: unknown): Failure | undefined {
  const read = readForm(value);
  return read && failureOfProblem(read);
}
