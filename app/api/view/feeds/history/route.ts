import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithFeedHistory } from '@/lib/feeds/server/past';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(ownRoute(replyWithFeedHistory));
