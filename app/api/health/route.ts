import { currentHealth } from '@/lib/server/health';
import { ownRoute } from '@/lib/server/own-route';
import { jsonReply } from '@/lib/server/reply';

export const dynamic = 'force-dynamic';

const handle = ownRoute(() => jsonReply(currentHealth()));

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
