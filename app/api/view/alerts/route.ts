import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithAlerts } from '@/lib/alerts/server/webhook';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(ownRoute(replyWithAlerts));
