import { type Fields, isFields, isWhole, type Read, stranger } from '@/sandbox/control-input';
import { type Keeper, NETWORKS } from './networks';

/** A number of rows that have their outcome, the newest of those created so many seconds ago or earlier. */
type Chosen<K extends string> = { kind: K; count: number; olderThanS: number };

/** What a log service can be told to do with its rows. Seconds and minutes are those of the sandbox clock. */
export type LogOrder =
  | { kind: 'late'; lateS: number; count?: number; share?: number }
  | Chosen<'change'>
  | Chosen<'vanish'>
  | Chosen<'undelivered'>
  | { kind: 'repeat'; every: number }
  | { kind: 'shuffle' }
  | { kind: 'burst'; count: number; pendingS: number; networks: number[] }
  | { kind: 'rate'; perS: number; pendingS: number; networks: number[] }
  | { kind: 'empty' }
  | { kind: 'race'; by: number; share: number }
  | { kind: 'starting'; minutes: number; networks: number[]; zero: boolean }
  | { kind: 'clock'; offS: number };

export type LogOrderKind = LogOrder['kind'];
export type OrderOf<K extends LogOrderKind> = Extract<LogOrder, { kind: K }>;

type Form<K extends LogOrderKind> = {
  /** All members beside `kind`. */
  members: readonly string[];
  /** The same in words, and what it does. */
  takes: string;
  does: string;
  /** Undefined when the members don't fit. */
  read: (fields: Fields, keeper: Keeper) => OrderOf<K> | undefined;
};

const DAY_S = 86_400;
const MAX_ROWS = 100_000;

const isShare = (value: unknown): value is number => typeof value === 'number' && value > 0 && value <= 1;

/** The numbers of some networks of a keeper by their ids; all of them when none is named. */
function networksOf(ids: unknown, keeper: Keeper): number[] | undefined {
  const own = NETWORKS.flatMap((one, number) => (one.keeper === keeper ? [number] : []));
  if (ids === undefined) return own;
  if (!Array.isArray(ids) || ids.length === 0) return undefined;
  const found = ids.map((id) => own.find((number) => NETWORKS[number]?.networkId === String(id)));
  return found.every((number) => number !== undefined) ? found : undefined;
}

function chosen<K extends 'change' | 'vanish' | 'undelivered'>(kind: K, does: string) {
  return {
    members: ['count', 'olderThanS'],
    takes: '"count": of rows, optional "olderThanS": created so many seconds ago or earlier',
    does,
    read: ({ count, olderThanS = 0 }: Fields) =>
      isWhole(count, 1, MAX_ROWS) && isWhole(olderThanS, 0, 10 * 365 * DAY_S)
        ? { kind, count, olderThanS }
        : undefined,
  };
}

const FORMS: { [K in LogOrderKind]: Form<K> } = {
  late: {
    members: ['lateS', 'count', 'share'],
    takes: '"lateS": seconds, and either "count": of rows or "share": above 0, at most 1',
    does: 'new rows are neither listed nor counted until so long after their creation',
    read: ({ lateS, count, share }) => {
      if (!isWhole(lateS, 1, DAY_S) || (count === undefined) === (share === undefined)) return undefined;
      if (count !== undefined) {
        return isWhole(count, 1, MAX_ROWS) ? { kind: 'late', lateS, count } : undefined;
      }
      return isShare(share) ? { kind: 'late', lateS, share } : undefined;
    },
  },
  change: chosen('change', 'failed rows become completed now'),
  vanish: chosen('vanish', 'rows with an outcome are no longer listed nor counted'),
  undelivered: chosen('undelivered', 'completed rows count, for offsets too, and are left out of lists'),
  repeat: {
    members: ['every'],
    takes: '"every": 1 or more',
    does: 'about one row in so many stands twice in every list; the total counts it once',
    read: ({ every }) => (isWhole(every, 1, 1_000_000) ? { kind: 'repeat', every } : undefined),
  },
  shuffle: {
    members: [],
    takes: '',
    does: 'the rows of a page are in no order',
    read: () => ({ kind: 'shuffle' }),
  },
  burst: {
    members: ['count', 'pendingS', 'networkIds'],
    takes: '"count": of rows, optional "pendingS": seconds (default 10), "networkIds": [ids] (default all)',
    does: 'so many rows are created now, in one millisecond',
    read: ({ count, pendingS = 10, networkIds }, keeper) => {
      const networks = networksOf(networkIds, keeper);
      return networks && isWhole(count, 1, MAX_ROWS) && isWhole(pendingS, 0, DAY_S)
        ? { kind: 'burst', count, pendingS, networks }
        : undefined;
    },
  },
  rate: {
    members: ['perS', 'pendingS', 'networkIds'],
    takes:
      '"perS": rows a second up to 1000 (0: no more; those that came stay), optional "pendingS": seconds (default 15), "networkIds": [ids] (default all)',
    does: 'so many more rows come steadily, each pending for so long',
    read: ({ perS, pendingS = 15, networkIds }, keeper) => {
      const networks = networksOf(networkIds, keeper);
      return networks && typeof perS === 'number' && perS >= 0 && perS <= 1000 && isWhole(pendingS, 0, DAY_S)
        ? { kind: 'rate', perS, pendingS, networks }
        : undefined;
    },
  },
  empty: {
    members: [],
    takes: '',
    does: 'the store was emptied: only rows created from now on are there',
    read: () => ({ kind: 'empty' }),
  },
  race: {
    members: ['by', 'share'],
    takes: '"by": a whole number other than 0, may be below, optional "share": of the answers (default 1)',
    does: 'the total is so many more than there are rows',
    read: ({ by, share = 1 }) =>
      isWhole(by, -MAX_ROWS, MAX_ROWS) && by !== 0 && isShare(share)
        ? { kind: 'race', by, share }
        : undefined,
  },
  starting: {
    members: ['minutes', 'networkIds', 'zero'],
    takes:
      '"minutes": above 0, optional "networkIds": [ids] (default all), "zero": true for network_id 0 among the configs',
    does: 'for so long a list of one of these networks is refused with 400; lists of all networks have their rows',
    read: ({ minutes, networkIds, zero = false }, keeper) => {
      const networks = networksOf(networkIds, keeper);
      const isTime = typeof minutes === 'number' && minutes > 0 && minutes <= 1_000_000;
      return networks && isTime && typeof zero === 'boolean'
        ? { kind: 'starting', minutes, networks, zero }
        : undefined;
    },
  },
  clock: {
    members: ['offS'],
    takes: '"offS": a whole number of seconds, below 0 for slow, 0 for right again',
    does: 'the clock of this service is off: Date, and what it writes down from now on',
    read: ({ offS }) => (isWhole(offS, -365 * DAY_S, 365 * DAY_S) ? { kind: 'clock', offS } : undefined),
  },
};

const KINDS = Object.keys(FORMS) as LogOrderKind[];

/** One line for each kind of order, for the list that `GET /control` gives. */
export function describeLogOrders(): string[] {
  return KINDS.map((kind) => `${inWords(kind)}: ${FORMS[kind].does}`);
}

function inWords(kind: LogOrderKind): string {
  const { takes } = FORMS[kind];
  return `{"kind": "${kind}"${takes ? `, ${takes}` : ''}}`;
}

export type LogsOrder = { keeper: Keeper; order: LogOrder };

/** Reads `{keeper, order: {kind, ...}}`. */
export function readLogsOrder(fields: Fields, keepers: readonly Keeper[]): Read<LogsOrder> {
  const keeper = keepers.find((one) => one === fields.keeper);
  const { order } = fields;
  if (keeper === undefined || stranger(fields, ['keeper', 'order']) !== undefined) {
    return refuse(
      `Takes {"keeper": ${keepers.map((one) => `"${one}"`).join(' or ')}, "order": {"kind": ...}}`,
    );
  }
  const kind = isFields(order) ? KINDS.find((one) => one === order.kind) : undefined;
  if (!isFields(order) || kind === undefined) {
    return refuse(`order: takes {"kind": ...}, one of ${KINDS.join(', ')}`);
  }
  const form = FORMS[kind];
  const read =
    stranger(order, ['kind', ...form.members]) === undefined ? form.read(order, keeper) : undefined;
  return read ? { ok: true, value: { keeper, order: read } } : refuse(`order: takes ${inWords(kind)}`);
}

/** The optional `keeper` and `kind` of the orders that are to end. */
export function readLogFilter(
  rawQuery: string,
  keepers: readonly Keeper[],
): Read<{ keeper?: Keeper; kind?: LogOrderKind }> {
  const query = new URLSearchParams(rawQuery);
  const keeper = keepers.find((one) => one === query.get('keeper'));
  const kind = KINDS.find((one) => one === query.get('kind'));
  if (query.has('keeper') && keeper === undefined) return refuse(`keeper: takes ${keepers.join(' or ')}`);
  if (query.has('kind') && kind === undefined) return refuse(`kind: takes one of ${KINDS.join(', ')}`);
  return { ok: true, value: { keeper, kind } };
}

function refuse(problem: string): { ok: false; problem: string } {
  return { ok: false, problem };
}
