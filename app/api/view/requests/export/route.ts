import { exportClient } from '@/lib/access/principal';
import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithExport } from '@/lib/requests/server/export';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(
  ownRoute((request, principal) => replyWithExport(request, { client: exportClient(principal) })),
);
