import type { FailureKind } from '@/lib/domain/outcome';
import { count, finite, oneOf, optional, type Read, shape } from './triage-members';

/** Whether calls go out in spite of failures. Times are unix ms. */
export type CircuitReport = {
  /** `open`: calls stop. `trying`: one call is on its way to see whether the service works again. */
  state: 'closed' | 'open' | 'trying';
  /** In a row, without a success between them. */
  failures: number;
  /** Of the last failure; like all that follows absent while the circuit is closed. */
  kind?: FailureKind;
  upstreamStatus?: number;
  sinceMs?: number;
  nextTryMs?: number;
};

const FAILURE_KINDS = [
  'rejected',
  'missing',
  'unauthorized',
  'rate-limited',
  'failing',
  'unreachable',
  'timeout',
  'malformed',
  'unconfigured',
  'too-many',
  'bad-request',
] as const satisfies readonly FailureKind[];

/** A kind of failure, as it stands in a report. */
export const failureKind: Read<FailureKind> = oneOf(FAILURE_KINDS);

/** Reads the circuit of a host. */
export const circuitMember: Read<CircuitReport> = shape<CircuitReport>({
  state: oneOf(['closed', 'open', 'trying']),
  failures: count,
  kind: optional(failureKind),
  upstreamStatus: optional(count),
  sinceMs: optional(finite),
  nextTryMs: optional(finite),
});
