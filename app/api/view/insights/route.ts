import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithInsights } from '@/lib/insights/server/insights-endpoint';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(
  ownRoute((request) => replyWithInsights(request)),
);
