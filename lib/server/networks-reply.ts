import 'server-only';
import { problem } from '@/lib/core/problem';
import { networksFor, offeredNetworks } from './network-directory';
import { jsonReply, problemReply } from './reply';

/** More networks than a page of rows can hold; a larger question is no page of ours. */
const MOST_IDS = 1000;

/**
 * `?ids=8453,42161`: the networks of these ids, in their order, for pages whose rows arrive later. `?ids=offered`: those
 * to choose from, by name.
 */
export async function replyWithNetworks(request: Request): Promise<Response> {
  const params = new URL(request.url).searchParams;
  const ids = params.getAll('ids').flatMap((text) => text.split(','));
  if (ids.join() === 'offered') return jsonReply(await offeredNetworks());
  if (ids.length === 0 || ids.length > MOST_IDS || !ids.every((id) => /^\d{1,78}$/.test(id))) {
    return problemReply(
      problem('bad-request', `ids should be 1 to ${MOST_IDS} network ids, separated by commas.`),
    );
  }
  return jsonReply(await networksFor(ids));
}
