import { replyWithHealth } from '@/lib/server/health-reply';
import { openRoute } from '@/lib/server/own-route';

export const dynamic = 'force-dynamic';

const handle = openRoute(replyWithHealth);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
