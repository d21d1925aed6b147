import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import { target } from './acknowledge';

/** `GET /api/view/alerts`. Moments are unix ms. */

const noticeState = z.enum(['waiting', 'sent', 'dropped', 'given-up']);

const notice = z.object({
  id: z.string(),
  /** The event of the message, such as `incident.opened`, or `test`. */
  kind: z.string(),
  title: z.string(),
  /** Names of what is affected, as in the message. They may contain texts from outside. */
  affected: z.optional(z.string()),
  cause: z.optional(z.string()),
  path: z.string(),
  sinceMs: z.nullable(z.number()),
  atMs: z.number(),
  state: noticeState,
  attempts: z.number(),
  nextMs: z.number(),
  sentMs: z.nullable(z.number()),
  error: z.nullable(z.string()),
});

const alertsAnswer = z.object({
  atMs: z.number(),
  /** Undefined without a webhook. */
  format: z.optional(z.enum(['json', 'slack'])),
  /** Origin of links in messages; undefined if ALLOWED_HOSTS names no public host. */
  origin: z.optional(z.string()),
  /** The receiver requested a pause until then. */
  pausedUntilMs: z.optional(z.number()),
  /**
   * Alerts that hold: open incidents that are not acknowledged, then lasting faults, at most `MAX_NOTICES`. Undefined
   * if unknown.
   */
  holding: z.optional(
    z.array(
      z.object({
        event: z.string(),
        title: z.string(),
        path: z.string(),
        sinceMs: z.nullable(z.number()),
        /** Cause and next step, as in the message. They may contain texts from outside. */
        details: z.optional(z.string()),
        /** State of the message about the incident. */
        state: z.optional(noticeState),
        /** False while it has not lasted for as long as its rule demands. */
        isDue: z.boolean(),
        /** Absent if it can't be acknowledged, like a degraded network. */
        target: z.optional(target),
      }),
    ),
  ),
  /** Events of rules that could not be checked: what they would find is unknown. */
  unchecked: z.array(z.string()),
  /** Kinds of sources that are configured. */
  has: z.object({ keepers: z.boolean(), services: z.boolean(), feeds: z.boolean(), chains: z.boolean() }),
  /** Body by format: about the most severe open incident, or, if there is none, about an invented one. */
  example: z.object({ json: z.string(), slack: z.string(), isReal: z.boolean() }),
  /** Newest first, at most `MAX_NOTICES`. Undefined if they can't be read; `unread` gives the reason. */
  notices: z.optional(z.array(notice)),
  unread: z.optional(z.string()),
});

/** If the receiver answered, with `status`, `tookMs` and the beginning of the body. */
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
