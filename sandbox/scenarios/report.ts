import {
  isoTime,
  type LogRow,
  providerAddress,
  requestBlock,
  requestHash,
  senderAddress,
} from '@/sandbox/logs/log-row';
import type { LogWorld } from '@/sandbox/logs/log-world';
import { laneAt, networkAt } from '@/sandbox/logs/networks';
import type { Incident, Role, Rule } from './scenario-rows';

type Figures = Record<string, number | string | number[]>;

/** Stuck requests that are named one by one. */
const NAMED_REQUESTS = 50;
const DAY_MS = 86_400_000;
const LATE_MS = 420_000;
const MINUTE_MS = 60_000;

/** What a scenario made, for a test to compare with. Times are ISO. */
export function describeScenario(world: LogWorld, nowMs: number): unknown {
  const { scenario } = world;
  if (!scenario) return undefined;
  const { name, shows } = scenario.scenario;
  const incidents = scenario.scenario.incidents.flatMap((incident) =>
    incident.rule === undefined ? [] : describeIncident(incident.rule, new View(world, incident, nowMs)),
  );
  const keepers = [...new Set(incidents.map(({ keeper }) => keeper))];
  return {
    ...{ name, shows },
    keeper: keepers.length > 1 ? 'both' : keepers[0],
    at: isoTime(nowMs),
    since: incidents.map(({ since }) => since).sort()[0],
    networks: incidents.map(({ network_id }) => network_id),
    rows: incidents.reduce((sum, { pending }) => sum + pending, 0),
    incidents,
  };
}

function describeIncident(rule: Rule, view: View) {
  const { network, stuck, world, nowMs } = view;
  return {
    rule,
    keeper: network.keeper,
    network_id: network.networkId,
    chain_id: network.chainName,
    provider: providerAddress(world.mixer, network, laneAt(view.incident.lane).provider),
    pending: stuck.length,
    senders: new Set(stuck.map(({ sender }) => sender)).size,
    since: isoTime(stuck[0]?.createdMs ?? nowMs),
    newest: isoTime(stuck.at(-1)?.createdMs ?? nowMs),
    figures: FIGURES[rule](view),
    requests: stuck.slice(0, NAMED_REQUESTS).map((row) => ({
      sequence: row.sequence,
      request_tx_hash: `0x${requestHash(row)}`,
      sender: senderAddress(world.mixer, row.sender),
      created_at: isoTime(row.createdMs),
    })),
  };
}

/** The network of an incident as its rule looks at it. */
class View {
  readonly network;
  readonly parts: { role: Role; row: LogRow }[];
  /** Oldest first. */
  readonly stuck: LogRow[];

  constructor(
    readonly world: LogWorld,
    readonly incident: Incident,
    readonly nowMs: number,
  ) {
    this.network = networkAt(incident.network);
    this.parts = world.scenario?.parts.filter((part) => part.incident === incident) ?? [];
    const rows = this.parts.filter(({ role }) => role === 'stuck').map(({ row }) => row);
    this.stuck = rows.filter((row) => this.isPending(row));
  }

  /** An incident has at least one stuck row. */
  get oldest(): LogRow {
    const [oldest] = this.stuck;
    if (!oldest) throw new Error('nothing is stuck');
    return oldest;
  }

  /** Rows of the network since a time, newest first. */
  since(minMs: number): LogRow[] {
    const { network } = this.incident;
    return this.world.list(this.network.keeper, minMs).filter((row) => row.network === network);
  }

  /** Rows of the network since the oldest stuck one, newest first. */
  get later(): LogRow[] {
    return this.since(this.oldest.createdMs);
  }

  isPending(row: LogRow): boolean {
    return this.world.getState(row).state === 'Pending';
  }
}

/** What each rule is decided by, counted in the rows of the world. Members in Ms are milliseconds. */
const FIGURES: Record<Rule, (view: View) => Figures> = {
  R2: ages,
  R3: ages,
  R4: ages,
  R5: ({ parts, oldest }) => {
    const twin = parts.find(({ role }) => role === 'twin')?.row ?? oldest;
    return { sequence: twin.sequence, twin_tx_hash: `0x${requestHash(twin)}`, twin_state: 'completed' };
  },
  R6: (view) => {
    const { later } = view;
    return { rows: later.length, pending: later.filter((row) => view.isPending(row)).length };
  },
  R7: (view) => {
    const { sender } = view.oldest;
    const own = view.later.filter((row) => row.sender === sender);
    const others = view.later.filter((row) => row.sender !== sender && !view.isPending(row));
    const address = senderAddress(view.world.mixer, sender);
    return { sender: address, own_rows: own.length, others_finished: others.length };
  },
  R8: (view) => {
    const { provider, sequence } = view.oldest;
    const higher = view.later.filter((row) => row.provider === provider && row.sequence > sequence);
    return { higher_finished: higher.filter((row) => !view.isPending(row)).length };
  },
  R9: (view) => {
    const day = view.since(view.nowMs - DAY_MS);
    const silentMs = view.nowMs - (day[0]?.createdMs ?? 0);
    return { silentMs, rows_24h: day.length, expectedEveryMs: Math.round(DAY_MS / day.length) };
  },
  R10: ({ network, stuck, later, oldest }) => {
    const newest = requestBlock(network, (later[0] ?? oldest).createdMs);
    const behind = stuck.map(({ createdMs }) => newest - requestBlock(network, createdMs));
    return { newest_block: newest, blocks_behind: behind };
  },
  R11: ({ oldest }) => ({ gas_limit: oldest.gasLimit ?? 0 }),
  R12: ({ parts }) => {
    const numbers = parts.map(({ row }) => row.sequence).sort((a, b) => a - b);
    const missing = numbers.flatMap((number, place) => {
      const before = numbers[place - 1] ?? number;
      return Array.from({ length: Math.max(0, number - before - 1) }, (_, index) => before + 1 + index);
    });
    return { missing };
  },
  R13: ({ stuck }) => {
    const even = stuck.filter(({ sequence }) => sequence % 2 === 0).length;
    return { modulus: 2, sharing: Math.max(even, stuck.length - even), of: stuck.length };
  },
  R14: ({ parts }) => {
    const ends = parts
      .filter(({ row }) => row.finishMs - row.createdMs > LATE_MS)
      .map(({ row }) => row.finishMs)
      .filter(Number.isFinite);
    const minuteMs = Math.floor(Math.min(...ends) / MINUTE_MS) * MINUTE_MS;
    return { recovered: ends.length, minute: isoTime(minuteMs) };
  },
  R15: (view) => {
    const { oldest } = view;
    const batch = view.parts.filter(({ row }) => row.lead === oldest.lead);
    const done = batch.filter(({ row }) => !view.isPending(row));
    return { request_tx_hash: `0x${requestHash(oldest)}`, done: done.length, of: batch.length };
  },
};

function ages({ stuck, nowMs }: View): Figures {
  return { agesMs: stuck.map(({ createdMs }) => nowMs - createdMs) };
}
