import { feedDirectory } from '@/lib/feeds/server/feed-directory';
import { jsonReply, ownRoute } from '@/lib/server/reply';

export const dynamic = 'force-dynamic';

const handle = ownRoute(async () => jsonReply(await feedDirectory()));

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
