import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { isReadableRow, type LogPage, type LogRow, openLogPage } from '@/lib/core/request-record';
import { integerText, isWireObject, member, numberToken, readWireDocument } from '@/lib/core/wire-json';
import { inTurn } from './exchange';
import type { BodyCheck, HttpAnswer, HttpService } from './http-service';
import { isJsonObject, parseJsonBody, textOf } from './json-body';
import type { CallPriority } from './rate-limiter';

/** The request log service of one keeper (interface C of the contract). */
export type RequestLogClient = {
  /**
   * `GET /v1/logs`, the answer as text: checked to be a log list, `network_id` and `gas_limit` of readable rows
   * written as text, all else with every member and digit that the service sent.
   * @param query the query string without its question mark
   */
  logsText(query: string, priority: CallPriority): Promise<Outcome<string>>;
  /** The same answer as rows of the domain; rows that can't be read are kept as such. */
  logs(query: string, priority: CallPriority): Promise<Outcome<LogPage>>;
};

/** @param http the service at `LOGS_URL` of the keeper */
export function createRequestLogClient(http: HttpService): RequestLogClient {
  const toPage = pageReader(http);
  const fetchLogs = (query: string, priority: CallPriority) =>
    http.call({ method: 'GET', path: '/v1/logs', query, priority, check: checkLogList });
  return {
    logsText: async (query, priority) => textOf(await fetchLogs(query, priority)),
    logs: async (query, priority) => toPage(await fetchLogs(query, priority)),
  };
}

/** So many rows are read at a time: well under a millisecond of work. */
const ROWS_AT_ONCE = 40;

/**
 * Reads answers into rows, each answer once: callers that shared a call get the same page, so it must not be changed.
 * Rows take their turn with other work, a few at a time.
 */
function pageReader(http: HttpService): (answer: Outcome<HttpAnswer>) => Promise<Outcome<LogPage>> {
  const known = new WeakMap<HttpAnswer, Promise<Outcome<LogPage>>>();
  return async (answer) => {
    if (!answer.ok) return answer;
    const before = known.get(answer.value);
    if (before) return before;
    const page = readInTurns(answer.value.text, http);
    known.set(answer.value, page);
    return page;
  };
}

async function readInTurns(text: string, http: HttpService): Promise<Outcome<LogPage>> {
  const opened = await inTurn(text.length, () => openLogPage(text));
  if (!opened.ok) return failed({ ...opened.failure, service: http.identity.service });
  const { count, row, total } = opened.value;
  const rows: LogRow[] = [];
  while (rows.length < count) {
    const end = Math.min(count, rows.length + ROWS_AT_ONCE);
    await inTurn(text.length, () => {
      while (rows.length < end) rows.push(row(rows.length));
    });
  }
  return ok({ rows, total });
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
  if (!rows.some((row) => isJsonObject(row) && TEXT_MEMBERS.some((name) => typeof row[name] === 'number')))
    return { ok: true, text };
  // The rows are let go here: held until the next turn they would be copied by the garbage collector.
  const readable = rows.map(isReadableRow);
  return { ok: true, text, rewrite: () => withTextMembers(text, readable) };
};

/** Members that are text in the contract, and numbers in some answers. */
const TEXT_MEMBERS = ['network_id', 'gas_limit'];

/** @param readable which rows may be rewritten */
function withTextMembers(text: string, readable: readonly boolean[]): string {
  const document = readWireDocument(text);
  const rows = document && isWireObject(document.value) ? member(document.value, 'requests') : undefined;
  if (document === undefined || !Array.isArray(rows)) return text;
  for (const row of rows.filter((_, at) => readable[at])) {
    for (const name of TEXT_MEMBERS) {
      const value = member(row, name);
      const token = typeof value === 'number' ? String(value) : numberToken(value);
      if (token !== undefined) row[name] = integerText(value) ?? token;
    }
  }
  return document.textOf(document.value);
}

function isCount(value: unknown): boolean {
  if (typeof value === 'string') return /^\d+$/.test(value);
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
