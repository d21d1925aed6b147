import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithAlerts } from '@/lib/alerts/server/alerts-endpoint';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(ownRoute(replyWithAlerts));
