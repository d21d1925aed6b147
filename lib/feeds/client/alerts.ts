import type { FeedAlert } from '@/lib/alerts/watch-list';
import { formatScaled, type ScaledInteger } from '@/lib/core/numbers';
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
} from '@/lib/feeds/feed-alerts';

export type AlertHappening = { readonly alert: FeedAlert; readonly event: AlertEvent };

/** Judges the alerts of a page whenever it is told to look. Knows no storage, no sound and no screen. */
export class AlertWatch {
  #alerts: readonly FeedAlert[] = [];
  #states: ReadonlyMap<string, AlertState> = new Map();
  readonly #listeners = new Set<() => void>();

  /** @param lookAt what is known for an alert; undefined while nothing is known of its feed */
  constructor(private readonly lookAt: (alert: FeedAlert) => AlertLook | undefined) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** By the id of the alert. The same map until one changes. */
  readonly states = (): ReadonlyMap<string, AlertState> => this.#states;

  /** The alerts to watch from now on; those that stay keep their state. */
  follow(alerts: readonly FeedAlert[]): void {
    this.#alerts = alerts;
  }

  /** Judges all alerts. `nowMs` does not go back. */
  look(nowMs: number): AlertHappening[] {
    const steps = this.#alerts.map((alert) => {
      const before = this.#states.get(alert.id) ?? UNHEARD;
      const look = this.lookAt(alert);
      return { alert, ...stepAlert(before, look && judgeAlert(alert.condition, look), nowMs) };
    });
    const isSame = steps.every(({ alert, state }) => this.#states.get(alert.id) === state);
    if (!isSame || steps.length !== this.#states.size) {
      this.#states = new Map(steps.map(({ alert, state }) => [alert.id, state]));
      for (const listener of [...this.#listeners]) listener();
    }
    return steps.flatMap(({ alert, event }) => (event === undefined ? [] : [{ alert, event }]));
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

let context: AudioContext | undefined;

/** Browsers play nothing before the first click or key on a page: until then it stays silent without an attempt. */
export function soundAlert(): void {
  if (navigator.userActivation?.hasBeenActive === false || typeof AudioContext === 'undefined') return;
  try {
    context ??= new AudioContext();
    void context.resume();
    for (const [at, hz] of NOTES_HZ.entries()) {
      const startS = context.currentTime + at * NOTE_S;
      const note = context.createOscillator();
      const loudness = context.createGain();
      note.frequency.value = hz;
      // It begins and ends at nothing, or it would crack.
      loudness.gain.setValueAtTime(0, startS);
      loudness.gain.linearRampToValueAtTime(0.12, startS + 0.01);
      loudness.gain.linearRampToValueAtTime(0, startS + NOTE_S);
      note.connect(loudness).connect(context.destination);
      note.start(startS);
      note.stop(startS + NOTE_S);
    }
  } catch {
    // No sound device, or too many contexts.
  }
}
