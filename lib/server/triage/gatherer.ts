import 'server-only';
import type { GatherState, GatherTrouble } from '@/lib/contract/codec/triage';
import type { DiagnosisSettings } from '@/lib/domain/diagnosis/diagnosis-settings';
import type { KeeperEvidence, NetworkEvidence } from '@/lib/domain/diagnosis/incident';
import type { Outcome } from '@/lib/domain/outcome';
import type { LogSources } from '@/lib/server/explorer/parts';
import type { Timers } from '@/lib/upstream/timers';
import { Asking } from './asking';
import { KeeperLook } from './keeper-look';
import type { Gathered } from './triage-view';

export type GatherEdges = {
  sources: LogSources;
  /** The networks that a keeper says it serves. */
  networkIds: (keeper: string) => Promise<Outcome<string[]>>;
  settingsOf: (networkId: string) => DiagnosisSettings;
  /** Unix milliseconds. */
  now: () => number;
  timers: Timers;
  /** Lets others have their turn. */
  nextTurn: () => Promise<void>;
};

/** What was gathered serves everybody for so long. */
const KEPT_MS = 8000;
/** Not even one that is known to be wrong is looked at again sooner. */
const LATEST_MS = 1500;
/** A look that nobody has asked about for so long makes no further call. */
const WANTED_MS = 30_000;
/** After such a pause a look is a first one again: what is known is too old to be shown as the state of things. */
const STALE_MS = 60_000;
/**
 * Calls of one look, as far as leaving stretches uncounted can keep to it: the last day's count decides then. With so many
 * networks that they alone take more, a few are counted all the same.
 */
const MOST_CALLS = 60;
const LEAST_COUNTS = 4;

/**
 * Gathers E1 and E6 of all keepers, once for everybody who asks. It has no rhythm of its own: it looks when it is asked,
 * and makes no call when nobody asks.
 */
export class Gatherer {
  readonly #edges: GatherEdges;
  readonly #keepers: KeeperLook[];
  #asking: Asking | undefined;
  #underWay: Promise<void> | undefined;
  #beganAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #endedAt = Number.NEGATIVE_INFINITY;
  #state: GatherState = 'gathering';
  #checkedAtMs: number | undefined;
  #version = 0;

  constructor(edges: GatherEdges) {
    this.#edges = edges;
    this.#keepers = [...edges.sources.values()].map(
      (source) =>
        new KeeperLook({
          source,
          networkIds: () => edges.networkIds(source.keeper),
          settingsOf: edges.settingsOf,
          nextTurn: edges.nextTurn,
          mostCounts,
          onChange: () => {
            this.#version += 1;
          },
        }),
    );
  }

  /**
   * Somebody wants to know.
   * @param need `latest`: what is kept is known to be wrong. `unhurried`: nobody waits for it on a screen
   * @returns settles when the look that is under way is over; at once when none is needed
   */
  ask(need: 'kept' | 'latest' | 'unhurried' = 'kept'): Promise<void> {
    const at = this.#edges.timers.elapsed();
    this.#askedAt = at;
    const keptMs = need === 'latest' ? LATEST_MS : KEPT_MS;
    if (this.#underWay === undefined && at - this.#beganAt >= keptMs) {
      if (at - this.#endedAt >= STALE_MS) this.#state = 'gathering';
      this.#beganAt = at;
      this.#underWay = this.#look(need).finally(() => {
        this.#underWay = undefined;
        this.#asking = undefined;
        this.#version += 1;
      });
    }
    return this.#underWay ?? Promise.resolve();
  }

  async #look(need: 'kept' | 'latest' | 'unhurried'): Promise<void> {
    const { timers, now } = this.#edges;
    const asking = new Asking(
      {
        // The first view has somebody who waits for it; later ones have something to look at.
        priority: this.#state === 'gathering' && need !== 'unhurried' ? 'user' : 'background',
        timers,
        isWanted: () => this.#isWanted(),
      },
      'Pending requests',
    );
    this.#asking = asking;
    const nowMs = now();
    await Promise.all(this.#keepers.map((keeper) => keeper.look(asking, nowMs)));
    // What was left out because nobody looked is no trouble, and is asked for again with the next question.
    if (asking.isGivenUp) this.#beganAt = Number.NEGATIVE_INFINITY;
    else this.#end(nowMs);
  }

  #isWanted(): boolean {
    return this.#edges.timers.elapsed() - this.#askedAt < WANTED_MS;
  }

  #end(nowMs: number): void {
    this.#endedAt = this.#edges.timers.elapsed();
    const isKnown = this.#keepers.some(({ evidence }) => evidence.pending.kind === 'known');
    if (this.#troubles.length === 0) {
      this.#state = 'complete';
      this.#checkedAtMs = nowMs;
    } else {
      this.#state = isKnown ? 'partial' : 'failed';
    }
  }

  /** All that is known by now, of one moment. */
  get gathered(): Gathered {
    return {
      version: this.#version,
      state: this.#state,
      checkedAtMs: this.#checkedAtMs,
      progress: this.#asking?.progress,
      troubles: this.#troubles,
      evidence: this.#keepers.map(({ evidence }) => evidence),
    };
  }

  get #troubles(): GatherTrouble[] {
    return this.#keepers.flatMap(({ troubles }) => troubles);
  }

  get isLooking(): boolean {
    return this.#underWay !== undefined;
  }

  /** E1 of a keeper. */
  pendingOf(keeper: string): KeeperEvidence['pending'] | undefined {
    return this.#keepers.find(({ evidence }) => evidence.keeper === keeper)?.evidence.pending;
  }

  /** A sample of the network's finished rows; undefined while the network is not known. */
  finishedOf(keeper: string, networkId: string): NetworkEvidence['finished'] | undefined {
    const evidence = this.#keepers.find((one) => one.evidence.keeper === keeper)?.evidence;
    return evidence?.networks.find((network) => network.networkId === networkId)?.finished;
  }
}

function mostCounts({ planned }: Asking): number {
  return planned > MOST_CALLS ? LEAST_COUNTS : MOST_CALLS - planned;
}
