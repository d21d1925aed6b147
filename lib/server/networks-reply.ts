import 'server-only';
import { problem } from '@/lib/domain/problem';
import { networksFor } from './network-directory';
import { jsonReply, problemReply } from './reply';

/** More networks than a page of rows can hold; a larger question is no page of ours. */
const MOST_IDS = 1000;

/** `?ids=8453,42161`: the networks of these ids, in their order, for pages whose rows arrive later. */
export async function replyWithNetworks(request: Request): Promise<Response> {
  const ids = new URL(request.url).searchParams.getAll('ids').flatMap((text) => text.split(','));
  if (ids.length === 0 || ids.length > MOST_IDS || !ids.every((id) => /^\d{1,78}$/.test(id))) {
    return problemReply(
      problem('bad-request', `ids should be 1 to ${MOST_IDS} network ids, separated by commas.`),
    );
  }
  return jsonReply(await networksFor(ids));
}
