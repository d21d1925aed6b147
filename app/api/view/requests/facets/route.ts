import { replyWithFacets } from '@/lib/requests/server/lines';
import { ownRoute } from '@/lib/server/own-route';

export const dynamic = 'force-dynamic';

const handle = ownRoute(replyWithFacets);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
