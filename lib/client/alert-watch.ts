import {
  type AlertEvent,
  type AlertLook,
  type AlertState,
  judgeAlert,
  stepAlert,
  UNHEARD,
} from '@/lib/domain/feed-alerts';
import { WindowExtremes } from '@/lib/domain/window-extremes';
import type { FeedAlert } from './alert-book';

/** What the page knows of a feed at this moment. `key` changes with every update. */
export type FeedMoment = Pick<AlertLook, 'price' | 'conf' | 'currency'> & { readonly key: string };

/** Prices of a feed from before an alert was made, oldest first; times by the same clock as `look`'s. */
export type PastPrice = { readonly atMs: number; readonly price: AlertLook['price'] };

export type AlertSources = {
  /** Undefined while nothing is known of the feed. */
  readonly moment: (feedId: string) => FeedMoment | undefined;
  readonly past: (feedId: string) => readonly PastPrice[];
};

/** How an alert stands. `absent`: its feed is not on this page, so nobody watches it. */
export type AlertStanding = AlertState | { readonly phase: 'absent'; readonly sinceMs: number };

export type AlertHappening = { readonly alert: FeedAlert; readonly event: AlertEvent };

type Watched = {
  readonly alert: FeedAlert;
  state: AlertState;
  /** With `change` only. */
  readonly window?: WindowExtremes;
  seenKey?: string;
  isAbsent: 'yes' | 'no';
};

/** Judges the alerts of a page whenever it is told to look. Knows no storage, no sound and no screen. */
export class AlertWatch {
  #watched = new Map<string, Watched>();
  #standings: ReadonlyMap<string, AlertStanding> = new Map();
  readonly #listeners = new Set<() => void>();

  constructor(
    private readonly sources: AlertSources,
    private readonly tell: (happenings: readonly AlertHappening[]) => void,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** By the id of the alert. The same map until a standing changes. */
  readonly standings = (): ReadonlyMap<string, AlertStanding> => this.#standings;

  /** The alerts to watch from now on; those that stay keep their state. */
  follow(alerts: readonly FeedAlert[]): void {
    this.#watched = new Map(
      alerts.map((alert) => [alert.id, this.#watched.get(alert.id) ?? this.#begun(alert)] as const),
    );
  }

  /** Judges all alerts. `nowMs` does not go back; it is the time that past prices are told in. */
  look(nowMs: number): void {
    const happenings: AlertHappening[] = [];
    for (const watched of this.#watched.values()) {
      const event = this.#judge(watched, nowMs);
      if (event !== undefined) happenings.push({ alert: watched.alert, event });
    }
    this.#settle();
    if (happenings.length > 0) this.tell(happenings);
  }

  #begun(alert: FeedAlert): Watched {
    const begun = { alert, state: UNHEARD, isAbsent: 'no' } as const;
    if (alert.condition.kind !== 'change') return { ...begun };
    const window = new WindowExtremes(alert.condition.windowS * 1000);
    for (const { atMs, price } of this.sources.past(alert.feedId)) window.add(atMs, price);
    return { ...begun, window };
  }

  #judge(watched: Watched, nowMs: number): AlertEvent | undefined {
    const { alert, window } = watched;
    const moment = this.sources.moment(alert.feedId);
    watched.isAbsent = moment === undefined ? 'yes' : 'no';
    if (moment === undefined) return undefined;
    // While we are connected a price that does not change is news as well: it is in force until the next one.
    if (moment.key !== watched.seenKey || moment.currency !== undefined) window?.add(nowMs, moment.price);
    watched.seenKey = moment.key;
    const unmoved = { lowest: moment.price, highest: moment.price };
    const extremes = window === undefined ? {} : (window.read(nowMs) ?? unmoved);
    const step = stepAlert(watched.state, judgeAlert(alert.condition, { ...moment, ...extremes }), nowMs);
    watched.state = step.state;
    return step.event;
  }

  #settle(): void {
    const next = new Map<string, AlertStanding>();
    for (const [id, { state, isAbsent }] of this.#watched) {
      const standing: AlertStanding = isAbsent === 'yes' ? { phase: 'absent', sinceMs: 0 } : state;
      const before = this.#standings.get(id);
      const isSame = before?.phase === standing.phase && before.sinceMs === standing.sinceMs;
      next.set(id, isSame && before !== undefined ? before : standing);
    }
    const isSame =
      next.size === this.#standings.size &&
      [...next].every(([id, standing]) => this.#standings.get(id) === standing);
    if (isSame) return;
    this.#standings = next;
    for (const listener of [...this.#listeners]) listener();
  }
}
