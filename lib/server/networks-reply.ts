import 'server-only';
import { problem } from '@/lib/domain/problem';
import { sharedNetworks } from './explorer/networks-shared';
import { networksFor, offeredNetworks } from './network-directory';
import { jsonReply, problemReply } from './reply';
import { services } from './services';

/** More networks than a page of rows can hold; a larger question is no page of ours. */
const MOST_IDS = 1000;

/**
 * `?ids=8453,42161`: the networks of these ids, in their order, for pages whose rows arrive later. `?ids=offered`: those
 * to choose from, by name. `?ids=served&keeper=main`: those that at least one of these keepers serves, null where that is
 * not known; without a keeper the default one.
 */
export async function replyWithNetworks(request: Request): Promise<Response> {
  const params = new URL(request.url).searchParams;
  const ids = params.getAll('ids').flatMap((text) => text.split(','));
  if (ids.join() === 'offered') return jsonReply(await offeredNetworks());
  if (ids.join() === 'served') return replyWithServed(params.getAll('keeper'));
  if (ids.length === 0 || ids.length > MOST_IDS || !ids.every((id) => /^\d{1,78}$/.test(id))) {
    return problemReply(
      problem('bad-request', `ids should be 1 to ${MOST_IDS} network ids, separated by commas.`),
    );
  }
  return jsonReply(await networksFor(ids));
}

async function replyWithServed(asked: readonly string[]): Promise<Response> {
  const { keepers } = services();
  const chosen = asked.length === 0 ? keepers.slice(0, 1) : [...new Set(asked)];
  if (!chosen.every((keeper) => keepers.includes(keeper))) {
    return problemReply(problem('bad-request', `keeper must be one of ${keepers.join(', ')}.`));
  }
  const ids = chosen.length === 0 ? undefined : await sharedNetworks().served.of(chosen);
  return jsonReply(ids === undefined ? null : await networksFor(ids.slice(0, MOST_IDS)));
}
