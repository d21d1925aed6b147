import { everyMethod, jsonReply, ownRoute } from '@/lib/access/reply';
import { feedDirectory } from '@/lib/feeds/server/feed-directory';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(
  ownRoute(async () => jsonReply(await feedDirectory())),
);
