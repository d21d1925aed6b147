import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithRequest } from '@/lib/requests/server/request';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(ownRoute(replyWithRequest));
