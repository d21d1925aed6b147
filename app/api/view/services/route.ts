import { jsonReply, ownRoute } from '@/lib/server/reply';
import { currentServicesReport } from '@/lib/server/service-report';

export const dynamic = 'force-dynamic';

const handle = ownRoute(() => jsonReply(currentServicesReport()));

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
