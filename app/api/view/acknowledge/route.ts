import { replyToAcknowledge } from '@/lib/alerts/server/acknowledgements';
import { ownAction } from '@/lib/server/reply';

export const dynamic = 'force-dynamic';

const handle = ownAction(replyToAcknowledge);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
