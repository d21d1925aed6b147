import { replyWithExport } from '@/lib/requests/server/export';
import { ownRoute } from '@/lib/server/own-route';
import { exportClient } from '@/lib/server/visitor';

export const dynamic = 'force-dynamic';

const handle = ownRoute((request, visitor) =>
  replyWithExport(request, undefined, undefined, exportClient(visitor)),
);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
