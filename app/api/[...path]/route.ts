import { everyMethod } from '@/lib/access/reply';
import { handleGateway } from '@/lib/gateway/gateway';

type Context = { params: Promise<{ path: string[] }> };

/** Passes the services' own routes through. Each of our routes has a file of its own; the streams are in pages/api. */
async function passThrough(request: Request, { params }: Context): Promise<Response> {
  const { pathname } = new URL(request.url);
  // If decoding changed the path, it matches no route.
  const isPlain = pathname === `/api/${(await params).path.join('/')}`;
  return handleGateway(request, isPlain);
}

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(passThrough);
