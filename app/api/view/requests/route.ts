import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithListing } from '@/lib/requests/server/requests-endpoint';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(
  ownRoute((request) => replyWithListing(request)),
);
