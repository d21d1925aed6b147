import { everyMethod } from '@/lib/access/reply';
import { replyWithSession } from '@/lib/runtime/session-reply';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(replyWithSession);
