import 'server-only';
import { askerOfFetch } from './asker';
import { currentHealth } from './health';
import { jsonReply } from './reply';
import { admit } from './visitor';

/** `GET /api/health`: that we are up, to anybody; how the services are, to those who may come in. */
export async function replyWithHealth(request: Request): Promise<Response> {
  const { services, ...ours } = currentHealth();
  const entry = await admit(askerOfFetch(request));
  const response = jsonReply(entry.ok ? { ...ours, services } : ours);
  if (entry.ok && entry.setCookie !== undefined) response.headers.append('set-cookie', entry.setCookie);
  return response;
}
