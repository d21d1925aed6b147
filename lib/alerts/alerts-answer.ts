import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';

/** Answer of `GET /api/view/alerts`. Moments are unix milliseconds. */

const notice = z.object({
  id: z.string(),
  /** The event of the message: `incident.opened`, or `test`. */
  kind: z.string(),
  title: z.string(),
  /** Whom it affects and the likely cause, as far as the message says; texts of strangers among them. */
  affected: z.optional(z.string()),
  cause: z.optional(z.string()),
  /** Where it is on the dashboard. */
  path: z.string(),
  sinceMs: z.nullable(z.number()),
  atMs: z.number(),
  state: z.enum(['waiting', 'sent', 'dropped', 'given-up']),
  attempts: z.number(),
  nextMs: z.number(),
  sentMs: z.nullable(z.number()),
  error: z.nullable(z.string()),
});

const alertsAnswer = z.object({
  atMs: z.number(),
  /** Undefined where there is no webhook. */
  format: z.optional(z.enum(['json', 'slack'])),
  /** Where links of messages lead; undefined where ALLOWED_HOSTS names no public host. */
  origin: z.optional(z.string()),
  /** Until when the receiver asked for a pause. */
  pausedUntilMs: z.optional(z.number()),
  /** Whether anything of each kind is configured. */
  has: z.object({ keepers: z.boolean(), services: z.boolean(), feeds: z.boolean(), chains: z.boolean() }),
  /** The body of a message as it is sent, with an example in it. */
  example: z.string(),
  /** The newest first, `MAX_NOTICES` at most; undefined where they can't be read, which `unread` explains. */
  notices: z.optional(z.array(notice)),
  unread: z.optional(z.string()),
});

/** `status`, `tookMs` and the beginning of what the receiver answered, where it did. */
const testAnswer = z.object({
  state: z.enum(['sent', 'given-up']),
  error: z.nullable(z.string()),
  status: z.optional(z.number()),
  tookMs: z.optional(z.number()),
  answer: z.optional(z.string()),
});

export type SentNotice = z.infer<typeof notice>;
export type AlertsAnswer = z.infer<typeof alertsAnswer>;
export type AlertTest = z.infer<typeof testAnswer>;

export const MAX_NOTICES = 200;
export const ALERTS_PATH = '/api/view/alerts';
export const ALERT_TEST_PATH = '/api/view/alerts/test';

export const readAlerts = answerReader(alertsAnswer, 'list of alerts');
export const readAlertTest = answerReader(testAnswer, 'answer about the test');
