import 'server-only';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { integerText, isWireObject, member, readWireDocument } from '@/lib/domain/wire-json';
import type { HttpService } from '@/lib/upstream/http-service';

/** More networks than this no keeper serves. */
const MOST_CONFIGS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Ids of the networks that a keeper says it serves. The route is optional: its absence is a failure like any other. */
export async function servedNetworkIds(http: Pick<HttpService, 'call'>): Promise<Outcome<string[]>> {
  const answer = await http.call({
    method: 'GET',
    path: '/v1/chains/configs',
    priority: 'background',
    maxBytes: MAX_BYTES,
  });
  return answer.ok ? networkIdsOf(answer.value.text) : answer;
}

export function networkIdsOf(text: string): Outcome<string[]> {
  const list = readWireDocument(text)?.value;
  if (!Array.isArray(list)) {
    return failed({ kind: 'malformed', service: 'logs', detail: 'The list of networks cannot be read.' });
  }
  const ids = list.slice(0, MOST_CONFIGS).flatMap((entry: unknown) => {
    const id = isWireObject(entry) ? integerText(member(entry, 'network_id')) : undefined;
    return id === undefined || id.startsWith('-') ? [] : [id];
  });
  return ok([...new Set(ids)]);
}
