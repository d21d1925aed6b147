import 'server-only';
import type { Outcome } from '@/lib/core/outcome';
import { problemMember } from '@/lib/core/problem';
import type { LogPage } from '@/lib/core/request-record';
import type { OneRequest } from '@/lib/requests/one';
import type { AskedRequest } from '@/lib/requests/request-address';
import {
  type HeldList,
  type HeldRow,
  latencyOf,
  neighboursOf,
  requestsOfSender,
  requestsOfSequence,
  requestsOfTransaction,
} from '@/lib/store/queries/one';
import type { IndexStore } from '@/lib/store/store';

/** Asks the log service of a keeper. @param query the query string without its question mark */
export type AskService = (keeper: string, query: string) => Promise<Outcome<LogPage>>;

const NEIGHBOURS = 3;
const MOST_OF_TRANSACTION = 20;
const MOST_OF_SENDER = 10;
const MOST_OF_SERVICE = 100;
/** Typical is what the last week was like; where that is not enough to tell, all that is held. */
const TYPICAL_DAYS = 7;
const FEWEST_TYPICAL = 20;
const DAY_US = 86_400_000_000;
const BEGINNING_US = -9_000_000_000_000_000;

/**
 * What the index holds of the requests of one sequence: the JSON text of a `OneRequest`. Where it holds none, and the history
 * of a keeper is not read to its end, the services of such keepers are asked too.
 * @param ask without it no service is asked, and `complete` is false where one would have been
 */
export async function oneRequest(
  store: IndexStore,
  asked: AskedRequest,
  ask?: AskService,
): Promise<{ text: string; complete: boolean }> {
  const { revision } = store;
  const ids = store.keeperIds(asked.keepers);
  const names = ids.map((id) => store.keeperName(id));
  const held = await requestsOfSequence(store.engine, ids, asked.networkId, asked.sequence);
  const uncovered = held.length > 0 ? [] : uncoveredKeepers(store, names);
  const answers = ask === undefined ? [] : await askServices(store, asked, uncovered, ask);
  const rows = [...held, ...answers.flatMap((answer) => answer.rows)];
  const fitting = rows.filter((row) => fits(row, asked));
  const [one] = fitting;
  const related = one === undefined || fitting.length > 1 ? undefined : await relatedText(store, one);
  const members = [
    `"atMs":${Math.round(store.now())}`,
    `"revision":${revision}`,
    `"rows":${rowsText(store, rows)}`,
    ...(related === undefined ? [] : [`"related":${related}`]),
    `"uncovered":${JSON.stringify(uncovered)}`,
    `"asked":${JSON.stringify(answers.map((answer) => answer.asked))}`,
    `"index":${JSON.stringify(store.status().filter(({ keeper }) => names.includes(keeper)))}`,
  ];
  return { text: `{${members.join(',')}}`, complete: uncovered.length === 0 || ask !== undefined };
}

function uncoveredKeepers(store: IndexStore, names: readonly string[]): string[] {
  return store
    .status()
    .filter(({ keeper, coversAll }) => !coversAll && names.includes(keeper))
    .map(({ keeper }) => keeper);
}

function fits(row: HeldRow, { provider, tx }: AskedRequest): boolean {
  return (
    (provider === undefined || row.provider === provider.toLowerCase()) &&
    (tx === undefined || row.requestTx === tx.toLowerCase())
  );
}

type ServiceAnswer = { asked: OneRequest['asked'][number]; rows: HeldRow[] };

function askServices(
  store: IndexStore,
  { networkId, sequence }: AskedRequest,
  keepers: readonly string[],
  ask: AskService,
): Promise<ServiceAnswer[]> {
  const query = `network_id=${networkId}&query=${sequence}&limit=${MOST_OF_SERVICE}`;
  return Promise.all(
    keepers.map(async (keeper): Promise<ServiceAnswer> => {
      const page = await ask(keeper, query);
      if (!page.ok) return { asked: { keeper, failure: problemMember(page.failure) }, rows: [] };
      const [keeperId = 0] = store.keeperIds([keeper]);
      return { asked: { keeper }, rows: rowsOfService(page, keeperId, networkId, sequence) };
    }),
  );
}

/** A service finds a number wherever it stands: only rows of that very sequence and network count. */
function rowsOfService(
  page: Outcome<LogPage>,
  keeperId: number,
  networkId: string,
  sequence: string,
): HeldRow[] {
  const { rows } = page.ok ? page.value : { rows: [] };
  return rows.flatMap((row) => {
    if (row.kind !== 'record' || row.networkId !== networkId || row.sequence !== sequence) return [];
    return {
      keeperId,
      networkId,
      sequence,
      provider: row.provider?.toLowerCase() ?? null,
      sender: row.sender?.toLowerCase() ?? null,
      requestTx: row.requestTxHash?.toLowerCase() ?? null,
      wire: row.rawJson,
      gone: false,
    };
  });
}

async function relatedText(store: IndexStore, row: HeldRow): Promise<string> {
  const { engine } = store;
  const { keeperId, requestTx, sender } = row;
  const none: HeldList = { rows: [], total: 0 };
  const [before, after, transaction, ofSender, latency] = await Promise.all([
    neighboursOf(engine, row, 'before', NEIGHBOURS),
    neighboursOf(engine, row, 'after', NEIGHBOURS),
    requestTx === null ? none : requestsOfTransaction(engine, keeperId, requestTx, MOST_OF_TRANSACTION),
    sender === null ? none : requestsOfSender(engine, keeperId, sender, MOST_OF_SENDER),
    typicalLatency(store, row),
  ]);
  const members = [
    `"before":${rowsText(store, before)}`,
    `"after":${rowsText(store, after)}`,
    `"transaction":${listText(store, transaction)}`,
    `"sender":${listText(store, ofSender)}`,
    ...(latency === undefined ? [] : [`"latency":${JSON.stringify(latency)}`]),
  ];
  return `{${members.join(',')}}`;
}

async function typicalLatency(store: IndexStore, { keeperId, networkId }: HeldRow) {
  const sinceUs = Math.round(store.now()) * 1000 - TYPICAL_DAYS * DAY_US;
  const week = await latencyOf(store.engine, keeperId, networkId, sinceUs);
  if (week !== undefined && week.count >= FEWEST_TYPICAL) return { ...week, days: TYPICAL_DAYS };
  const all = await latencyOf(store.engine, keeperId, networkId, BEGINNING_US);
  return all !== undefined && all.count >= FEWEST_TYPICAL ? all : undefined;
}

function listText(store: IndexStore, { rows, total }: HeldList): string {
  return `{"total":"${total}","rows":${rowsText(store, rows)}}`;
}

function rowsText(store: IndexStore, rows: readonly HeldRow[]): string {
  const texts = rows.map(({ keeperId, wire, gone }) => {
    const keeper = JSON.stringify(store.keeperName(keeperId));
    return `{"keeper":${keeper},"row":${wire}${gone ? ',"gone":true' : ''}}`;
  });
  return `[${texts.join(',')}]`;
}
