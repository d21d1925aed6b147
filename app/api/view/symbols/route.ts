import { everyMethod, jsonReply, ownRoute } from '@/lib/access/reply';
import { symbolDirectory } from '@/lib/prices/server/symbol-directory';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(
  ownRoute(async () => jsonReply(await symbolDirectory())),
);
