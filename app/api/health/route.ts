import { openRoute } from '@/lib/server/reply';
import { replyWithHealth } from '@/lib/server/service-report';

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
