import { everyMethod, openRoute } from '@/lib/access/reply';
import { replyWithHealth } from '@/lib/services/service-report';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(openRoute(replyWithHealth));
