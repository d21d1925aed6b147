import { everyMethod, jsonReply, ownAction } from '@/lib/access/reply';
import { openHub } from '@/lib/feeds/server/process-hub';
import { checkServices, currentServicesReport } from '@/lib/services/service-report';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(
  ownAction(async () => {
    await checkServices();
    return jsonReply(currentServicesReport(openHub()?.connection));
  }),
);
