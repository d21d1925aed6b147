import 'server-only';
import type { GatherTrouble } from '@/lib/contract/codec/triage';
import type { DiagnosisSettings } from '@/lib/domain/diagnosis/diagnosis-settings';
import type { KeeperEvidence } from '@/lib/domain/diagnosis/incident';
import { type StretchToCount, stretchesToCount } from '@/lib/domain/diagnosis/network-incident';
import { NETWORK_WIDE } from '@/lib/domain/diagnosis/network-wide';
import type { Failure, Outcome } from '@/lib/domain/outcome';
import { type LogSource, MOST_ROWS } from '@/lib/server/explorer/log-source';
import { type Asking, NOBODY_LOOKS } from './asking';
import { KeptPiece } from './kept-piece';
import { type ListedRecord, recordsOf } from './log-rows';
import { NetworkLook } from './network-look';
import { isOtherLog, isStrange, knownUntil } from './other-log';
import { PENDING_QUERY, type PendingRows, type Walk, walkPending } from './pending-walk';

export type KeeperEdges = {
  source: LogSource;
  /** The networks that the keeper says it serves; the route is optional, and a failure of it is none of ours. */
  networkIds: () => Promise<Outcome<string[]>>;
  settingsOf: (networkId: string) => DiagnosisSettings;
  /** Lets others have their turn. */
  nextTurn: () => Promise<void>;
  /** How many stretches of time may be counted in this look. */
  mostCounts: (asking: Asking) => number;
  /** Something new is known. */
  onChange: () => void;
};

/** What a keeper is shown as. */
type Shown = { evidence: KeeperEvidence; troubles: GatherTrouble[] };

/** How long it is taken as known which networks have rows lately, and which ones the keeper serves. */
const NEWEST_KEPT_MS = 60_000;
/** Newest rows of all networks, while the networks are known. */
const FEW_ROWS = 100;
const SERVED_KEPT_MS = 600_000;
/** More networks than this nobody serves: ids that rows name may be anything. */
const MOST_NETWORKS = 300;

/** `rows`: complete down to the oldest of them, or none. */
type Newest = { ids: string[]; rows: readonly ListedRecord[] };

type Ids = { ids: string[]; untilMs: number };
const NO_IDS: Ids = { ids: [], untilMs: Number.NEGATIVE_INFINITY };

/** What is known of one keeper: E1 and its networks. */
export class KeeperLook {
  readonly #edges: KeeperEdges;
  readonly #pending = new KeptPiece<PendingRows>();
  readonly #networks = new Map<string, NetworkLook>();
  #byNetwork = new Map<string, ListedRecord[]>();
  #newest = NO_IDS;
  #newestFailure: Failure | undefined;
  #served = NO_IDS;
  #shown: Shown | undefined;

  constructor(edges: KeeperEdges) {
    this.#edges = edges;
  }

  /**
   * Asks for everything that is due. The first look shows what it knows so far; a later one shows nothing before its end,
   * when all pieces go together.
   */
  async look(asking: Asking, nowMs: number): Promise<void> {
    asking.plan(1);
    const walk = walkPending(this.#edges.source, asking, (found) => {
      if (this.#pending.piece.kind === 'missing') this.#know({ found }, nowMs);
    });
    const [walked, newest, served] = await Promise.all([
      walk,
      this.#askForNewest(asking, nowMs),
      this.#servedNetworks(asking, nowMs),
    ]);
    this.#know(walked, nowMs);
    this.#forgetOtherLog(walked.found.rows, newest.rows, nowMs);
    await this.#lookAtNetworks([...newest.ids, ...served], asking, nowMs);
    await this.#count(asking, nowMs);
    if (asking.isGivenUp) return;
    this.#shown = { evidence: this.#evidence, troubles: this.#troubles };
    this.#edges.onChange();
  }

  #know({ found, failure }: Walk, nowMs: number): void {
    if (failure === NOBODY_LOOKS) return;
    const { piece } = this.#pending;
    const learnt = { value: found, query: PENDING_QUERY, atMs: nowMs };
    const isOldBetter = piece.kind === 'known' && piece.value.missing === 0 && this.#pending.isKept(nowMs);
    if (failure !== undefined && (found.rows.length === 0 || isOldBetter)) this.#pending.fail(failure, nowMs);
    else this.#pending.knowPart(learnt, failure);
    const now = this.#pending.piece;
    this.#byNetwork = byNetwork(now.kind === 'known' ? now.value.rows : []);
    this.#edges.onChange();
  }

  /** The newest rows, asked for at every look: they name networks, and tell when what is kept is of another log. */
  async #askForNewest(asking: Asking, nowMs: number): Promise<Newest> {
    const isKnown = this.#newest.untilMs > nowMs;
    asking.plan(1);
    const { source } = this.#edges;
    const page = await asking.ask(`Networks of ${source.keeper}`, (priority) =>
      source.page({}, isKnown ? FEW_ROWS : MOST_ROWS, 0, priority),
    );
    this.#newestFailure = page.ok || asking.isGivenUp ? undefined : page.failure;
    const rows = page.ok ? recordsOf(page.value.rows) : [];
    if (page.ok) {
      const ids = new Set([...(isKnown ? this.#newest.ids : []), ...rows.map(({ networkId }) => networkId)]);
      const untilMs = isKnown ? this.#newest.untilMs : nowMs + NEWEST_KEPT_MS;
      this.#newest = { ids: [...ids], untilMs };
    }
    // A page with rows that can't be read is not all there is.
    return { ids: this.#newest.ids, rows: page.ok && rows.length === page.value.rows.length ? rows : [] };
  }

  /** Where one network's rows are of another log, those of all are. */
  #forgetOtherLog(pending: readonly ListedRecord[], newest: readonly ListedRecord[], nowMs: number): void {
    const oldestMs = newest.reduce((least, { createdAt }) => Math.min(least, createdAt.ms), nowMs);
    const [pendingById, newestById] = [byNetwork(pending), byNetwork(newest)];
    const isOther = [...this.#networks].some(([id, { seen }]) => {
      if (seen === undefined) return false;
      const rows = newestById.get(id) ?? [];
      // Of the oldest moment there may be more behind the page. No rows: nothing is known of now.
      const after = { rows, fromMs: oldestMs + 1, toMs: newest.length === 0 ? 0 : knownUntil(nowMs) };
      return isStrange(seen, pendingById.get(id) ?? []) || isOtherLog(seen, after);
    });
    if (isOther) for (const network of this.#networks.values()) network.forget();
  }

  /** Whether the route is there is asked as rarely as what it says. */
  async #servedNetworks(asking: Asking, nowMs: number): Promise<string[]> {
    if (this.#served.untilMs > nowMs) return this.#served.ids;
    asking.plan(1);
    const { networkIds, source } = this.#edges;
    const ids = await asking.ask(`Networks of ${source.keeper}`, networkIds);
    if (!asking.isGivenUp) {
      this.#served = { ids: ids.ok ? ids.value : this.#served.ids, untilMs: nowMs + SERVED_KEPT_MS };
    }
    return this.#served.ids;
  }

  /** Those named, those known, and those of pending rows. Requests past normal must be judged by the latest. */
  async #lookAtNetworks(named: readonly string[], asking: Asking, nowMs: number): Promise<void> {
    const ids = new Set([...named, ...this.#networks.keys(), ...this.#byNetwork.keys()]);
    await Promise.all(
      [...ids].map(async (id) => {
        const rows = this.#byNetwork.get(id) ?? [];
        const slowMs = this.#edges.settingsOf(id).slowAfterS * 1000;
        const isSlow = rows.some(({ createdAt }) => nowMs - createdAt.ms >= slowMs);
        await this.#networkOf(id)?.look(asking, nowMs, isSlow ? 'latest' : 'kept', rows.length);
        this.#edges.onChange();
      }),
    );
  }

  #networkOf(id: string): NetworkLook | undefined {
    const known = this.#networks.get(id);
    if (known !== undefined || this.#networks.size >= MOST_NETWORKS) return known;
    const look = new NetworkLook(this.#edges.source, id);
    this.#networks.set(id, look);
    return look;
  }

  /** Counts what R6 wants to know, the newest stretches first: they say what is wrong now. */
  async #count(asking: Asking, nowMs: number): Promise<void> {
    const found: StretchToCount[] = [];
    for (const [id, rows] of this.#byNetwork) {
      const evidence = this.#networks.get(id)?.evidence;
      if (rows.length < NETWORK_WIDE.pending || evidence === undefined) continue;
      found.push(...stretchesToCount(rows, [evidence], this.#edges.settingsOf, nowMs));
      await this.#edges.nextTurn();
    }
    const chosen = found.sort((one, other) => other.toMs - one.toMs).slice(0, this.#edges.mostCounts(asking));
    await Promise.all(
      [...this.#networks].map(([id, network]) => {
        const own = chosen.filter(({ networkId }) => networkId === id);
        return network.count(own, asking, nowMs);
      }),
    );
  }

  get #evidence(): KeeperEvidence {
    return {
      keeper: this.#edges.source.keeper,
      pending: this.#pending.piece,
      networks: [...this.#networks.values()].flatMap(({ evidence }) => evidence ?? []),
    };
  }

  get evidence(): KeeperEvidence {
    return this.#shown?.evidence ?? this.#evidence;
  }

  get troubles(): GatherTrouble[] {
    return this.#shown?.troubles ?? this.#troubles;
  }

  get #troubles(): GatherTrouble[] {
    const { keeper } = this.#edges.source;
    const { failure, keptFromMs } = this.#pending;
    const kept = keptFromMs === undefined ? {} : { keptFromMs };
    return [
      ...(failure === undefined ? [] : [{ keeper, what: 'Pending requests', failure, ...kept }]),
      ...(this.#newestFailure === undefined
        ? []
        : [{ keeper, what: 'Newest requests of all networks', failure: this.#newestFailure }]),
      ...[...this.#networks.values()].flatMap(({ troubles }) => troubles),
    ];
  }
}

function byNetwork(rows: readonly ListedRecord[]): Map<string, ListedRecord[]> {
  const groups = new Map<string, ListedRecord[]>();
  for (const row of rows) {
    const group = groups.get(row.networkId);
    if (group === undefined) groups.set(row.networkId, [row]);
    else group.push(row);
  }
  return groups;
}
