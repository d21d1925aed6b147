import type { AnswerClock } from './answer-dates';
import type { AdmissionState } from './call-admission';
import type { CallStatistics } from './call-statistics';
import type { ServiceAddress } from './service-address';
import type { StreamStatistics } from './stream-record';

/** What is known of a host without calling it: calls, streams, budget, pauses. Nothing of the key itself. */
export type HostStanding = AdmissionState & {
  address: ServiceAddress;
  calls: CallStatistics;
  streams: StreamStatistics;
  /** Undefined before the first answer that says when it was made. */
  clock: AnswerClock | undefined;
};
