import 'server-only';
import { failed } from '@/lib/core/outcome';
import { problem } from '@/lib/core/problem';
import { type AskedRequest, readAsked } from '@/lib/requests/request-address';
import { unconfigured } from '@/lib/server/gateway-routes';
import { jsonText, problemReply, responseOf } from '@/lib/server/reply';
import { services } from '@/lib/server/services';
import { type AskService, oneRequest } from './one';

/** Asks as somebody who waits for the answer. */
const askService: AskService = async (keeper, query) =>
  services().logs.get(keeper)?.logs(query, 'user') ?? failed(unconfigured('logs'));

/** What the index holds of a request; the services are asked too where it may lack it, when `wait` allows that. */
export function lookUpOne(asked: AskedRequest, wait: 'index' | 'services') {
  return oneRequest(services().index, asked, wait === 'services' ? askService : undefined);
}

/** `GET /api/view/requests/one?network=&sequence=[&keeper=&provider=&tx=]`. */
export async function replyWithOne(request: Request): Promise<Response> {
  const params = new URL(request.url).searchParams;
  const asked = readAsked(params.get('network') ?? '', params.get('sequence') ?? '', params);
  if (asked === undefined) {
    return problemReply(problem('bad-request', 'network and sequence should be numbers.'));
  }
  const { text } = await lookUpOne(asked, 'services');
  return responseOf(jsonText(text));
}
