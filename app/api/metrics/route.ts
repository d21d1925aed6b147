import { replyWithMetrics } from '@/lib/server/metrics-sources';
import { openRoute } from '@/lib/server/reply';

export const dynamic = 'force-dynamic';

const handle = openRoute(replyWithMetrics);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
