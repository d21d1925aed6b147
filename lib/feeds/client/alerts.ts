import type { FeedAlert } from '@/lib/alerts/watch-list';
import { formatScaled, type ScaledInteger } from '@/lib/core/numbers';
import { assertNever } from '@/lib/core/outcome';
import { clipped } from '@/lib/core/text';
import { formatSpan } from '@/lib/core/time';
import {
  type AlertCondition,
  type AlertEvent,
  type AlertLook,
  type AlertState,
  judgeAlert,
  stepAlert,
  UNHEARD,
  WindowExtremes,
} from '@/lib/feeds/feed-alerts';

/** What the page knows of a feed at this moment. `key` changes with every update. */
export type FeedMoment = Pick<AlertLook, 'price' | 'conf' | 'currency'> & { readonly key: string };

/** Prices of a feed from before an alert was made, oldest first; times by the same clock as `look`'s. */
export type PastPrice = { readonly atMs: number; readonly price: AlertLook['price'] };

export type AlertSources = {
  /** Undefined while nothing is known of the feed. */
  readonly moment: (feedId: string) => FeedMoment | undefined;
  readonly past: (feedId: string) => readonly PastPrice[];
};

export type AlertHappening = { readonly alert: FeedAlert; readonly event: AlertEvent };

type Judged = {
  readonly alert: FeedAlert;
  state: AlertState;
  readonly window?: WindowExtremes;
  seenKey?: string;
};

/** Judges the alerts of a page whenever it is told to look. Knows no storage, no sound and no screen. */
export class AlertWatch {
  #judged = new Map<string, Judged>();
  #states: ReadonlyMap<string, AlertState> = new Map();
  readonly #listeners = new Set<() => void>();

  constructor(private readonly sources: AlertSources) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** By the id of the alert. The same map until one changes. */
  readonly states = (): ReadonlyMap<string, AlertState> => this.#states;

  /** The alerts to watch from now on; those that stay keep their state. */
  follow(alerts: readonly FeedAlert[]): void {
    this.#judged = new Map(
      alerts.map((alert) => [alert.id, this.#judged.get(alert.id) ?? this.#begun(alert)] as const),
    );
  }

  /** Judges all alerts. `nowMs` does not go back; it is the time that past prices are told in. */
  look(nowMs: number): AlertHappening[] {
    const happenings = [...this.#judged.values()].flatMap((judged): AlertHappening[] => {
      const event = this.#judge(judged, nowMs);
      return event === undefined ? [] : [{ alert: judged.alert, event }];
    });
    const next = new Map([...this.#judged].map(([id, { state }]) => [id, state] as const));
    const isSame = ([id, { phase, sinceMs }]: [string, AlertState]) => {
      const before = this.#states.get(id);
      return before?.phase === phase && before.sinceMs === sinceMs;
    };
    if (next.size !== this.#states.size || ![...next].every(isSame)) {
      this.#states = next;
      for (const listener of [...this.#listeners]) listener();
    }
    return happenings;
  }

  #begun(alert: FeedAlert): Judged {
    const { condition, feedId } = alert;
    if (condition.kind !== 'change') return { alert, state: UNHEARD };
    const window = new WindowExtremes(condition.windowS * 1000);
    for (const { atMs, price } of this.sources.past(feedId)) window.add(atMs, price);
    return { alert, state: UNHEARD, window };
  }

  #judge(judged: Judged, nowMs: number): AlertEvent | undefined {
    const { alert, window } = judged;
    const moment = this.sources.moment(alert.feedId);
    if (moment === undefined) return undefined;
    // While we are connected a price that does not change is news as well: it is in force until the next one.
    if (moment.key !== judged.seenKey || moment.currency !== undefined) window?.add(nowMs, moment.price);
    judged.seenKey = moment.key;
    const unmoved = { lowest: moment.price, highest: moment.price };
    const extremes = window === undefined ? {} : (window.read(nowMs) ?? unmoved);
    const step = stepAlert(judged.state, judgeAlert(alert.condition, { ...moment, ...extremes }), nowMs);
    judged.state = step.state;
    return step.event;
  }
}

/** What an alert waits for, to follow a name: `price above 65,000`. */
export function conditionText(condition: AlertCondition): string {
  const number = (value: ScaledInteger) => formatScaled(value, { decimals: 'trimmed', groupSeparator: ',' });
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

/** Two short notes; rising, so that it is told from the sounds of other programs. */
const NOTES_HZ = [660, 880];
const NOTE_S = 0.14;
const LOUDNESS = 0.12;

let context: AudioContext | undefined;

/** Browsers play nothing before the first click or key on a page: until then it stays silent without an attempt. */
export function soundAlert(): void {
  if (navigator.userActivation?.hasBeenActive === false || typeof AudioContext === 'undefined') return;
  try {
    context ??= new AudioContext();
    void context.resume();
    for (const [at, hz] of NOTES_HZ.entries()) playNote(context, hz, context.currentTime + at * NOTE_S);
  } catch {
    // No sound device, or too many contexts.
  }
}

/** Begins and ends at nothing, or it would crack. */
function playNote(audio: AudioContext, hz: number, atS: number): void {
  const note = audio.createOscillator();
  const loudness = audio.createGain();
  note.frequency.value = hz;
  loudness.gain.setValueAtTime(0, atS);
  loudness.gain.linearRampToValueAtTime(LOUDNESS, atS + 0.01);
  loudness.gain.linearRampToValueAtTime(0, atS + NOTE_S);
  note.connect(loudness).connect(audio.destination);
  note.start(atS);
  note.stop(atS + NOTE_S);
}
