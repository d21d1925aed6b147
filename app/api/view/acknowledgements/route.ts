import { everyMethod, ownRoute } from '@/lib/access/reply';
import { replyWithAcknowledgements } from '@/lib/alerts/server/acknowledgements';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(
  ownRoute(replyWithAcknowledgements),
);
