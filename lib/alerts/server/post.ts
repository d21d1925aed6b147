import 'server-only';
import { messageBody, type SendFailure } from '@/lib/alerts/notices';
import type { Notice } from '@/lib/core/incident-record';
import { retryAfterSeconds } from '@/lib/core/retry-after';
import { clipped } from '@/lib/core/text';
import { formatSpan } from '@/lib/core/time';
import type { Services } from '@/lib/services/services';

/** The address (`ALERT_WEBHOOK_URL`) is secret and appears in no outcome. */

const TIMEOUT_MS = 10_000;

/** `answer` is the beginning of the receiver's body, an untrusted text. */
export type Posted = { refusal: SendFailure | undefined; status?: number; answer?: string };

const MAX_ANSWER_BYTES = 2000;
const MAX_ANSWER_CHARACTERS = 200;
/** Shorter parts of the URL are words such as `https` and `api`; they are not removed from answers. */
const MIN_SECRET_CHARACTERS = 6;

export async function postNotices(
  notices: readonly Notice[],
  { settings, source }: Services,
): Promise<Posted> {
  const { alertWebhook: webhook } = settings;
  const url = webhook?.url();
  if (webhook === undefined || url === undefined) {
    return { refusal: { error: 'ALERT_WEBHOOK_URL has no usable value' } };
  }
  const form = { format: webhook.format, origin: publicOrigin(settings), isSandbox: source === 'sandbox' };
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: messageBody(notices, form),
      headers: { 'content-type': 'application/json' },
      redirect: 'manual',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { status } = response;
    const answer = await beginningOf(response, url);
    return { refusal: response.ok ? undefined : refusalOf(response), status, answer };
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') {
      return { refusal: { error: 'No answer within 10 s' } };
    }
    const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
    const codeText = typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? ` (${code})` : '';
    return { refusal: { error: `Unreachable${codeText}` } };
  }
}

/** The beginning of an answer on one line, without parts of the secret URL; empty if it is unreadable. */
async function beginningOf({ body }: Response, address: string): Promise<string> {
  const reader = body?.getReader();
  const first = await reader?.read().catch(() => undefined);
  await reader?.cancel().catch(() => undefined);
  const text = new TextDecoder().decode(first?.value?.subarray(0, MAX_ANSWER_BYTES));
  const secrets = address.split(/[/?&=#:@]/).filter((part) => part.length >= MIN_SECRET_CHARACTERS);
  const redacted = secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
  return clipped(redacted.replace(/\s+/g, ' ').trim(), MAX_ANSWER_CHARACTERS);
}

function refusalOf({ status, headers }: Response): SendFailure {
  const retryHeaders = {
    retryAfter: headers.get('retry-after'),
    date: headers.get('date'),
    reset: headers.get('ratelimit-reset') ?? headers.get('x-ratelimit-reset'),
  };
  const waitS = retryAfterSeconds(status, retryHeaders, Date.now());
  if (waitS === undefined) return { error: `Returned ${status}` };
  return { error: `Returned ${status}${RETRY_AFTER}${formatSpan(waitS * 1000)}`, waitMs: waitS * 1000 };
}

const RETRY_AFTER = ', retry after ';

/** Whether the receiver asked to wait until the message's next attempt. */
export const hasRequestedPause = ({ error, state }: Notice) =>
  state === 'waiting' && error?.includes(RETRY_AFTER) === true;

const OWN_HOSTS = /^(localhost|127\.|\[|0\.0\.0\.0$)/;

/** https with the first public name in ALLOWED_HOSTS. */
export function publicOrigin({ allowedHosts, host }: Services['settings']): string | undefined {
  const name = [...allowedHosts].find((allowedHost) => !OWN_HOSTS.test(allowedHost) && allowedHost !== host);
  return name === undefined ? undefined : `https://${name}`;
}
