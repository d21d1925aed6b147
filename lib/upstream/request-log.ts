import { setImmediate as nextTurn } from 'node:timers/promises';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import {
  isReadableRow,
  type LogPage,
  type LogRow,
  type OpenedLogPage,
  openLogPage,
} from '@/lib/core/request-record';
import { integerText, isWireObject, member, numberToken, readWireDocument } from '@/lib/core/wire-json';
import { runInTurn } from './exchange';
import type { CheckedBody, HttpAnswer, HttpService } from './http-service';
import { answerText, isJsonObject, parseJsonBody } from './json-body';
import type { CallPriority } from './rate-limiter';

/** Interface C of the contract, for one keeper. */
export type RequestLogClient = {
  /** `network_id` and `gas_limit` of readable rows become text; everything else stays as sent. */
  logsText(query: string, priority: CallPriority): Promise<Outcome<string>>;
  logs(query: string, priority: CallPriority): Promise<Outcome<LogPage>>;
};

export function createRequestLogClient(http: HttpService): RequestLogClient & { http: HttpService } {
  const pages = new WeakMap<HttpAnswer, Promise<Outcome<LogPage>>>();
  const fetchLogs = (query: string, priority: CallPriority, check = checkLogList) =>
    http.call({ method: 'GET', path: '/v1/logs', query, priority, check });
  return {
    http,
    logsText: async (query, priority) => answerText(await fetchLogs(query, priority)),
    async logs(query, priority) {
      let opened: OpenedLogPage | undefined;
      const answer = await fetchLogs(query, priority, (body) => {
        opened = openUnchanged(body);
        return opened === undefined ? checkLogList(body) : { ok: true, text: body };
      });
      if (!answer.ok) return answer;
      // Callers that share a call get the same page object, so it must not be changed.
      const page = pages.get(answer.value) ?? readPage(opened, answer.value.text, http);
      pages.set(answer.value, page);
      return page;
    },
  };
}

/** Number of rows read per turn of the event loop, which is well under a millisecond of work. */
const ROWS_PER_TURN = 40;

async function readPage(
  opened: OpenedLogPage | undefined,
  text: string,
  http: HttpService,
): Promise<Outcome<LogPage>> {
  const page = opened === undefined ? await runInTurn(text.length, () => openLogPage(text)) : ok(opened);
  if (!page.ok) return failed({ ...page.failure, service: http.options.service });
  const { requests, row, total } = page.value;
  const rows: LogRow[] = [];
  while (rows.length < requests.length) {
    const end = Math.min(requests.length, rows.length + ROWS_PER_TURN);
    await runInTurn(text.length, () => {
      while (rows.length < end) rows.push(row(rows.length));
    });
  }
  return ok({ rows, total });
}

/** A list that needs no rewriting, parsed once; undefined for any other list. */
function openUnchanged(body: string): OpenedLogPage | undefined {
  const page = openLogPage(body);
  if (!page.ok || page.value.total === undefined) return undefined;
  return page.value.requests.some(needsTextMembers) ? undefined : page.value;
}

const checkLogList = (body: string): CheckedBody | Promise<CheckedBody> => {
  const json = parseJsonBody(body);
  if (!json.ok) return json;
  if (!isJsonObject(json.value) || !Array.isArray(json.value.requests)) {
    return { ok: false, problem: 'it has no list of requests' };
  }
  if (!isCount(json.value.total_results)) return { ok: false, problem: 'it has no total_results' };
  const { text } = json;
  const rows: unknown[] = json.value.requests;
  return rows.some(needsTextMembers) ? withTextMembers(text, json.value, rows) : { ok: true, text };
};

/** Members that are text in the interface contract but numbers in some answers. */
const TEXT_MEMBERS = ['network_id', 'gas_limit'];

function needsTextMembers(row: unknown): boolean {
  return isJsonObject(row) && TEXT_MEMBERS.some((name) => name in row && typeof row[name] !== 'string');
}

async function withTextMembers(
  text: string,
  parsed: unknown,
  parsedRows: readonly unknown[],
): Promise<CheckedBody> {
  const readable = parsedRows.map(isReadableRow);
  // Reading and writing a thousand rows in one turn would delay every stream for twice as long.
  await nextTurn();
  const document = readWireDocument(text, parsed);
  const rows = document && isWireObject(document.value) ? member(document.value, 'requests') : undefined;
  if (document === undefined || !Array.isArray(rows)) return { ok: true, text };
  for (const row of rows.filter((_, index) => readable[index])) {
    for (const name of TEXT_MEMBERS) {
      const value = member(row, name);
      const token = typeof value === 'number' ? String(value) : numberToken(value);
      if (token !== undefined) row[name] = integerText(value) ?? token;
    }
  }
  return { ok: true, text: document.textOf(document.value) };
}

function isCount(value: unknown): boolean {
  if (typeof value === 'string') return /^\d+$/.test(value);
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
