import { exportClient } from '@/lib/access/principal';
import { replyWithExport } from '@/lib/requests/server/export';
import { ownRoute } from '@/lib/server/reply';

export const dynamic = 'force-dynamic';

const handle = ownRoute((request, principal) =>
  replyWithExport(request, undefined, undefined, exportClient(principal)),
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
