import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithDiagnosis } from '@/lib/pending/server/pending-endpoint';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(ownRoute(replyWithDiagnosis));
