import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithTriage } from '@/lib/pending/server/pending-endpoint';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(ownRoute(replyWithTriage));
