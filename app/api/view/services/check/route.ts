import { jsonReply, ownAction } from '@/lib/server/reply';
import { checkServices, currentServicesReport } from '@/lib/server/service-report';

export const dynamic = 'force-dynamic';

const handle = ownAction(async () => {
  await checkServices();
  return jsonReply(currentServicesReport());
});

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
