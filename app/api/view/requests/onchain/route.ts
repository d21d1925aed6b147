import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithOnchain } from '@/lib/onchain/server/onchain-endpoint';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(ownRoute(replyWithOnchain));
