import {
  readServicesReport,
  SERVICE_CHECK_ADDRESS,
  SERVICES_ADDRESS,
  type ServicesReport,
} from '@/lib/contract/codec/service-report';
import { type Failure, failed, type Outcome } from '@/lib/domain/outcome';
import { failureOfAnswer, fetchGatewayText } from './gateway';

/** What the page knows: the last report that came, when it came (browser's clock), and why there is no newer one. */
export type ServicesView = {
  report: ServicesReport;
  /** Unix ms; undefined for what the server rendered. */
  receivedAtMs: number | undefined;
  trouble: Failure | undefined;
};

/** How the services are, from what our own server has met; no service is called for it. */
export async function fetchServices(signal: AbortSignal): Promise<Outcome<ServicesReport>> {
  const text = await fetchGatewayText(SERVICES_ADDRESS, signal);
  return text.ok ? readServicesReport(text.value) : text;
}

/** A call may wait 10 s for its turn and take 15 s. */
const CHECK_PATIENCE_MS = 30_000;

/** Has every service asked one small question now, and gives the report after that. Never rejects. */
export async function checkServicesNow(): Promise<Outcome<ServicesReport>> {
  try {
    const signal = AbortSignal.timeout(CHECK_PATIENCE_MS);
    const response = await fetch(SERVICE_CHECK_ADDRESS, { method: 'POST', signal, cache: 'no-store' });
    const text = await response.text();
    return response.ok ? readServicesReport(text) : failed(failureOfAnswer(text, response.status));
  } catch {
    return failed({ kind: 'unreachable', detail: 'No connection.' });
  }
}

/** The view after an answer: without one, the report before stays, and why there is none stands beside it. */
export function servicesViewAfter(
  answer: Outcome<ServicesReport>,
  before: ServicesView,
  nowMs: number,
): ServicesView {
  if (!answer.ok) return { ...before, trouble: answer.failure };
  return { report: answer.value, receivedAtMs: nowMs, trouble: undefined };
}

/** The server's time by the report: the clock of this computer may be another one. */
export function serverNowMs({ report, receivedAtMs }: ServicesView, nowMs: number): number {
  return report.atMs + (receivedAtMs === undefined ? 0 : Math.max(0, nowMs - receivedAtMs));
}
