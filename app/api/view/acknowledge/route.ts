import { everyMethod, ownAction } from '@/lib/access/reply';
import { replyToAcknowledge } from '@/lib/alerts/server/acknowledgements';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(ownAction(replyToAcknowledge));
