import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithNetworks } from '@/lib/services/network-directory';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(ownRoute(replyWithNetworks));
