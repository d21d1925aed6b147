import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithProblems } from '@/lib/insights/server/problems';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(ownRoute(replyWithProblems));
