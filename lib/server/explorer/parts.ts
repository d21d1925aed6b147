import 'server-only';
import { recogniseQuery } from '@/lib/domain/log-query';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { isStateWord, WIRE_STATE } from '@/lib/domain/request-record';
import { logsQueryOf, type RequestsView } from '@/lib/requests/view';
import { unconfigured } from '@/lib/server/gateway-routes';
import type { LogFilter, LogSource } from './log-source';

/** One of the queries that a view takes: the service knows one keeper, one network and one state at a time. */
export type Part = { source: LogSource; filter: LogFilter };

/**
 * Each part is a call, so nobody could wait for more. Every keeper, network and state that there is makes a few hundred; an
 * address has room for half a million, which would hold everybody up for half a minute.
 */
const MOST_PARTS = 500;

/** By keeper name; the first is the default. */
export type LogSources = ReadonlyMap<string, LogSource>;

/**
 * The parts of a view seen at `nowMs` (unix milliseconds), in the order in which their rows stand at the same moment:
 * keepers, then networks, then states, each as the view names them. No row belongs to two of them.
 * Fails without a call for a keeper that is not there, for search text that can't be searched for, and for too many parts.
 */
export function partsOf(view: RequestsView, nowMs: number, sources: LogSources): Outcome<Part[]> {
  const names = [...sources.keys()];
  if (names.length === 0) return failed(unconfigured('logs'));
  if (recogniseQuery(view.q).kind === 'none') return failed({ kind: 'bad-request', detail: NOT_SEARCHABLE });
  const keepers = view.keepers.length === 0 ? names.slice(0, 1) : view.keepers;
  const [networks, states] = [eachOrNone(view.networks), eachOrNone(view.states.map(wireState))];
  if (new Set(keepers).size * networks.length * states.length > MOST_PARTS) {
    return failed({ kind: 'bad-request', detail: TOO_MANY_PARTS });
  }
  const shared = sharedFilter(view, nowMs);
  const parts: Part[] = [];
  for (const keeper of new Set(keepers)) {
    const source = sources.get(keeper);
    if (source === undefined) {
      return failed({ kind: 'bad-request', detail: `keeper must be one of ${names.join(', ')}.` });
    }
    for (const networkId of networks) {
      for (const state of states) {
        parts.push({ source, filter: withoutNothing({ networkId, state, ...shared }) });
      }
    }
  }
  return ok(parts);
}

const NOT_SEARCHABLE =
  'The search text is not a transaction hash, an address or a sequence number, so nothing was asked.';

const TOO_MANY_PARTS = `Keepers, networks and states make more than ${MOST_PARTS} combinations, each of which would be a call: choose fewer of them, or all of one kind.`;

function eachOrNone(values: readonly string[]): (string | undefined)[] {
  return values.length === 0 ? [undefined] : [...new Set(values)];
}

function wireState(state: string): string {
  return isStateWord(state) ? WIRE_STATE[state] : state;
}

/** What all parts have in common: search text and time bounds. */
function sharedFilter(view: RequestsView, nowMs: number): LogFilter {
  const query = logsQueryOf(view, nowMs);
  return {
    query: query.get('query') ?? undefined,
    min: query.get('min_timestamp') ?? undefined,
    max: query.get('max_timestamp') ?? undefined,
  };
}

function withoutNothing(filter: LogFilter): LogFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}
