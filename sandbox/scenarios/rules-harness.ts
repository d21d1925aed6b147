import type { LogHarness, Row } from '@/sandbox/logs/log-harness';
import type { Keeper } from '@/sandbox/logs/networks';
/** The answer of `POST /control/scenario`, as far as tests look at it. */
export type Report = {
  name: string;
  keeper?: string;
  since?: string;
  networks: string[];
  rows: number;
  incidents: {
    rule: string;
    keeper: Keeper;
    network_id: string;
    provider: string;
    pending: number;
    senders: number;
    since: string;
    newest: string;
    figures: Record<string, unknown>;
    requests: { sequence: number; request_tx_hash: string }[];
  }[];
};

export async function setScenario(harness: LogHarness, name: string): Promise<Report> {
  return (await harness.control('POST', '/scenario', { name })) as Report;
}

/** The rows of both keepers in the day before a time. */
export async function lastDay(harness: LogHarness, nowMs: number): Promise<Row[]> {
  const filter = `min_timestamp=${new Date(nowMs - DAY).toISOString()}`;
  return [...(await harness.all('main', filter)), ...(await harness.all('test', filter))];
}

export const DAY = 86_400_000;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

const isPending = (row: Row) => row.state.state === 'pending';
const created = (row: Row) => Date.parse(row.created_at);
const took = (row: Row) => Date.parse(row.last_updated_at) - created(row);

/** The rules, as the tests read them, straight from served rows; nothing of this is the dashboard's. */
export class Rules {
  private readonly byNetwork = new Map<string, Row[]>();

  /** `rows`: those of the last day, of both keepers. */
  constructor(
    rows: readonly Row[],
    private readonly nowMs: number,
  ) {
    for (const row of rows) {
      const network = this.byNetwork.get(row.network_id);
      if (network) network.push(row);
      else this.byNetwork.set(row.network_id, [row]);
    }
  }

  /** The rules that hold for a pending row, in their order. */
  of(row: Row): string[] {
    const network = this.byNetwork.get(row.network_id) ?? [];
    const near = network.filter((one) => Math.abs(created(one) - created(row)) <= 15 * MINUTE);
    const lane = network.filter(({ provider }) => provider === row.provider);
    const age = this.nowMs - created(row);
    const checks: [string, boolean][] = [
      ['R5', lane.some((one) => one.sequence === row.sequence && !isSame(one, row))],
      ['R6', isWholeNetwork(near)],
      ['R7', isContract(near, row)],
      ['R8', age > 300 * SECOND && higherFinished(lane, row) >= 10],
      ['R9', this.isSilent(row.network_id)],
      ['R10', Math.max(...network.map((one) => one.request_block_number)) - row.request_block_number > 1000],
      ['R11', isUnusualGas(near, row)],
      ['R12', missingNumbers(near, row).length > 0],
      ['R13', lane.filter(isPending).length >= 8 && sharedParity(lane.filter(isPending)) >= 0.9],
      ['R14', lateRecoveries(near).some(({ count }) => count >= 3)],
      ['R15', network.filter((one) => one.request_tx_hash === row.request_tx_hash).length > 1],
    ];
    return [ageRule(age, near), ...checks.flatMap(([name, holds]) => (holds ? [name] : []))];
  }

  /** R9 for a network, pending rows or not. */
  isSilent(networkId: string): boolean {
    const rows = this.byNetwork.get(networkId) ?? [];
    const day = rows.filter((row) => created(row) >= this.nowMs - DAY);
    const silent = this.nowMs - Math.max(...rows.map(created));
    return day.length >= 50 && silent > Math.max(10 * MINUTE, (7 * DAY) / day.length);
  }

  get networks(): string[] {
    return [...this.byNetwork.keys()];
  }
}

function isSame(one: Row, other: Row): boolean {
  return one.request_tx_hash === other.request_tx_hash;
}

function ageRule(age: number, near: readonly Row[]): string {
  const finished = near.filter((row) => !isPending(row)).map(took);
  finished.sort((a, b) => a - b);
  const slow = finished.length >= 20 ? (finished[Math.ceil(finished.length * 0.95) - 1] ?? 0) : 0;
  if (age < Math.max(60 * SECOND, slow)) return 'R1';
  if (age < 300 * SECOND) return 'R2';
  return age <= 420 * SECOND ? 'R3' : 'R4';
}

/** The rows since the oldest pending one. */
function sinceOldest(near: readonly Row[]): Row[] {
  const oldest = Math.min(...near.filter(isPending).map(created));
  return near.filter((row) => created(row) >= oldest);
}

function isWholeNetwork(near: readonly Row[]): boolean {
  const rows = sinceOldest(near);
  const pending = rows.filter(isPending);
  const senders = new Set(pending.map(({ sender }) => sender));
  return pending.length >= 5 && senders.size >= 3 && pending.length / rows.length >= 0.8;
}

function isContract(near: readonly Row[], { sender }: Row): boolean {
  const rows = sinceOldest(near);
  const own = rows.filter((row) => row.sender === sender);
  const pending = own.filter(isPending).length;
  const others = rows.filter((row) => row.sender !== sender && !isPending(row));
  return others.length >= 10 && pending >= 3 && pending / own.length >= 0.8;
}

function higherFinished(lane: readonly Row[], row: Row): number {
  return lane.filter((one) => one.sequence > row.sequence && !isPending(one)).length;
}

function isUnusualGas(near: readonly Row[], row: Row): boolean {
  const limits = near.map(({ gas_limit }) => Number(gas_limit)).sort((a, b) => a - b);
  const median = limits[Math.floor(limits.length / 2)] ?? 0;
  const gas = Number(row.gas_limit);
  return gas > 655_350_000 || (limits.length >= 20 && gas >= 10 * median);
}

function missingNumbers(near: readonly Row[], { provider }: Row): number[] {
  const numbers = near.filter((row) => row.provider === provider).map(({ sequence }) => sequence);
  const present = new Set(numbers);
  const missing: number[] = [];
  for (let number = Math.min(...numbers); number < Math.max(...numbers); number++) {
    if (!present.has(number)) missing.push(number);
  }
  return missing;
}

/** The largest share that has the same rest by 2, 3 or 4. */
function sharedParity(rows: readonly Row[]): number {
  const shares = [2, 3, 4].flatMap((modulus) =>
    Array.from(
      { length: modulus },
      (_, rest) => rows.filter((row) => row.sequence % modulus === rest).length,
    ),
  );
  return Math.max(...shares) / rows.length;
}

/** The minutes in which rows that took over 420 s were finished. */
export function lateRecoveries(rows: readonly Row[]): { minute: string; count: number }[] {
  const minutes = new Map<string, number>();
  for (const row of rows) {
    if (isPending(row) || took(row) <= 420 * SECOND) continue;
    const minute = row.last_updated_at.slice(0, 16);
    minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
  }
  return [...minutes].map(([minute, count]) => ({ minute, count }));
}
