import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithIncident } from '@/lib/pending/server/pending-endpoint';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(ownRoute(replyWithIncident));
