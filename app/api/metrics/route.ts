import { everyMethod, openRoute } from '@/lib/access/reply';
import { replyWithMetrics } from '@/lib/runtime/metrics-on-scrape';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(openRoute(replyWithMetrics));
