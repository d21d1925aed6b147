import { replyWithProblems } from '@/lib/insights/server/problems';
import { ownRoute } from '@/lib/server/reply';

export const dynamic = 'force-dynamic';

const handle = ownRoute(replyWithProblems);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
