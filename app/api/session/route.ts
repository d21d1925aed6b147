import { replyWithSession } from '@/lib/server/session-reply';

export const dynamic = 'force-dynamic';

const handle = (request: Request) => replyWithSession(request);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
