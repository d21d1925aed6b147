import { replyWithHistogram } from '@/lib/requests/server/lines';
import { ownRoute } from '@/lib/server/own-route';

export const dynamic = 'force-dynamic';

const handle = ownRoute(replyWithHistogram);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
