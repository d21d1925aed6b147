import type { Outcome } from '@/lib/domain/outcome';
import { isReadableRow, type LogPage, readLogPage } from '@/lib/domain/request-record';
import { answerReader, textOf } from './answer-reading';
import type { CallPriority } from './call-budget';
import type { BodyCheck, HttpService } from './http-service';
import { isJsonObject, parseJsonBody } from './json-body';
import { quoteLogIntegers, quotePlainIntegers } from './log-integers';

/** The request log service of one keeper (interface C of the contract). */
export type RequestLogClient = {
  /**
   * `GET /v1/logs`, the answer as text: checked to be a log list, `network_id` and `gas_limit` of readable rows
   * written as text, all else byte by byte as the service sent it.
   * @param query the query string without its question mark
   */
  logsText(query: string, priority: CallPriority): Promise<Outcome<string>>;
  /** The same answer as rows of the domain; rows that can't be read are kept as such. */
  logs(query: string, priority: CallPriority): Promise<Outcome<LogPage>>;
};

/** @param http the service at `LOGS_URL` of the keeper */
export function createRequestLogClient(http: HttpService): RequestLogClient {
  const toPage = answerReader(http, readLogPage);
  const fetchLogs = (query: string, priority: CallPriority) =>
    http.call({ method: 'GET', path: '/v1/logs', query, priority, check: checkLogList });
  return {
    logsText: async (query, priority) => textOf(await fetchLogs(query, priority)),
    logs: async (query, priority) => toPage(await fetchLogs(query, priority)),
  };
}

/** The envelope: an object with the list `requests` and the count `total_results`, as a number or as text. */
const checkLogList: BodyCheck = (body) => {
  const json = parseJsonBody(body);
  if (!json.ok) return json;
  if (!isJsonObject(json.value) || !Array.isArray(json.value.requests)) {
    return { ok: false, problem: 'it has no list of requests' };
  }
  if (!isCount(json.value.total_results)) return { ok: false, problem: 'it has no total_results' };
  const { text } = json;
  const rows: unknown[] = json.value.requests;
  const counts = rows.map(numbersOf);
  if (counts.every((count) => count === 0)) return { ok: true, text };
  // The rows are let go here: held until the next turn they would be copied by the garbage collector.
  const readable = rows.map(isReadableRow);
  return { ok: true, text, rewrite: () => withTextMembers(text, counts, readable) };
};

/** @param counts of each row, how many numbers it has that become text where the row is readable */
function withTextMembers(text: string, counts: readonly number[], readable: readonly boolean[]): string {
  const expected = counts.reduce((sum, count) => sum + count, 0);
  const isToRewrite = (index: number) => readable[index] === true;
  const isUsual = counts.every((count, index) => count === 0 || isToRewrite(index));
  return (isUsual ? quotePlainIntegers(text, expected) : undefined) ?? quoteLogIntegers(text, isToRewrite);
}

/** How many of the two members that become text are numbers in this row. */
function numbersOf(row: unknown): number {
  if (!isJsonObject(row)) return 0;
  return Number(typeof row.network_id === 'number') + Number(typeof row.gas_limit === 'number');
}

function isCount(value: unknown): boolean {
  if (typeof value === 'string') return /^\d+$/.test(value);
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
