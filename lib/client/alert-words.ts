import { assertNever } from '@/lib/domain/assert-never';
import type { AlertCondition } from '@/lib/domain/feed-alerts';
import { formatScaled, type ScaledInteger } from '@/lib/domain/scaled-number';
import type { FeedAlert } from './alert-book';
import type { AlertHappening, AlertStanding } from './alert-watch';
import { clipped } from './foreign-text';
import { formatSpan } from './human-time';

function number(value: ScaledInteger): string {
  return formatScaled(value, { decimals: 'trimmed', groupSeparator: ',' });
}

/** What an alert waits for, to follow a name: `price above 65,000`. */
export function conditionText(condition: AlertCondition): string {
  switch (condition.kind) {
    case 'above':
    case 'below':
      return `price ${condition.kind} ${number(condition.price)}`;
    case 'change':
      return `price moves more than ${number(condition.percent)} % within ${formatSpan(condition.windowS * 1000)}`;
    case 'wide':
      return `confidence wider than ${number(condition.bps)} bp`;
    case 'stale':
      return 'no update for longer than usual (stale)';
    default:
      return assertNever(condition);
  }
}

/** `BTC/USD` of `Crypto.BTC/USD`. */
export function feedShortName({ symbol }: Pick<FeedAlert, 'symbol'>): string {
  return clipped(symbol.slice(symbol.indexOf('.') + 1), 40);
}

/** An alert in one line: `BTC/USD: price above 65,000`. */
export function alertText(alert: FeedAlert): string {
  return `${feedShortName(alert)}: ${conditionText(alert.condition)}`;
}

/** How an alert stands, in a word. */
export function standingWord(standing: AlertStanding | undefined): string {
  switch (standing?.phase) {
    case 'raised':
      return 'Raised';
    case 'calm':
      return 'Watching';
    case 'absent':
      return 'Not watched here';
    default:
      return 'Waiting for a price';
  }
}

/** All that was raised, in one sentence for those who don't see it; undefined where nothing was. */
export function raisedText(happenings: readonly AlertHappening[]): string | undefined {
  const raised = happenings.filter(({ event }) => event.kind === 'raised');
  const [first] = raised;
  if (first === undefined) return undefined;
  const more = raised.length > 1 ? `, and ${raised.length - 1} more` : '';
  return `Alert: ${alertText(first.alert)}${more}`;
}
