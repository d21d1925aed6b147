import { everyMethod, ownRoute } from '@/lib/access/reply';
import { stuckRowsAt } from '@/lib/pending/server/triage';
import { summaryReply } from '@/lib/requests/server/requests-endpoint';

const replyWithSummary = summaryReply(stuckRowsAt);

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(
  ownRoute((request) => replyWithSummary(request)),
);
