import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithChains } from '@/lib/onchain/server/network-watch';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(ownRoute(replyWithChains));
