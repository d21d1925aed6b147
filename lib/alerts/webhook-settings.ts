import type { AlertsAnswer } from './alerts-answer';

/** An address typed on the page of alerts stays in the browser; no server calls it. */

type Format = NonNullable<AlertsAnswer['format']>;

type WebhookSettings = {
  /** Lines of `.env.local`. */
  lines: string;
  /** Sends a test message from the machine on which the dashboard runs. */
  command: string;
};

/** Receivers that accept the format of Slack. */
const SLACK_ADDRESS = /^https:\/\/hooks\.slack(-gov)?\.com\/|\/slack\/?$/i;

const TEST_BODIES: Record<Format, string> = {
  slack: '{"text":"Test message of Keeperscope"}',
  json: '{"source":"keeperscope","event":"test","title":"Test message"}',
};

export const PLACEHOLDER_ADDRESS = 'https://hooks.slack.com/services/…';

/**
 * Reads an address by the rule of `ALERT_WEBHOOK_URL`.
 * @returns the usual format of the receiver, or why this is no address
 */
export function readAddress(typed: string): { address: string; format: Format } | { error: string } {
  const text = typed.trim();
  if (!/^https?:\/\/[\x21-\x7e]+$/i.test(text) || !URL.canParse(text))
    return { error: 'Use an http or https URL' };
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text))
    return { error: 'Use a URL without user name and password' };
  // A fragment is never sent, and in the file it would begin a comment.
  url.hash = '';
  const isSlack = SLACK_ADDRESS.test(`${url.origin}${url.pathname}`);
  return { address: url.href, format: isSlack ? 'slack' : 'json' };
}

export function settingsOf(address: string, format: Format): WebhookSettings {
  return {
    lines: `ALERT_WEBHOOK_URL=${address}\nALERT_WEBHOOK_FORMAT=${format}`,
    command: `curl -H 'content-type: application/json' -d '${TEST_BODIES[format]}' ${quoted(address)}`,
  };
}

/** One word of a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
