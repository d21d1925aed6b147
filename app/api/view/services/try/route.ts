import { ownAction } from '@/lib/server/own-route';
import { jsonReply } from '@/lib/server/reply';
import { tryServicesEarly } from '@/lib/server/service-check';

export const dynamic = 'force-dynamic';

const handle = ownAction(() => {
  tryServicesEarly();
  return jsonReply({});
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
