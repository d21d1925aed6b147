import { everyMethod, jsonReply, ownRoute } from '@/lib/access/reply';
import { openHub } from '@/lib/feeds/server/process-hub';
import { currentServicesReport } from '@/lib/services/service-report';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(
  ownRoute(() => jsonReply(currentServicesReport(openHub()?.connection))),
);
