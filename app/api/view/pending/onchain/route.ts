import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithChainEvidence } from '@/lib/pending/server/chain-evidence';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(ownRoute(replyWithChainEvidence));
