import { everyMethod, ownAction } from '@/lib/access/reply';
import { replyToAlertTest } from '@/lib/alerts/server/alerts-endpoint';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(ownAction(replyToAlertTest));
