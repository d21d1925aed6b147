import { jsonReply, ownRoute } from '@/lib/server/reply';
import { symbolDirectory } from '@/lib/server/symbol-directory';

export const dynamic = 'force-dynamic';

const handle = ownRoute(async () => jsonReply(await symbolDirectory()));

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
