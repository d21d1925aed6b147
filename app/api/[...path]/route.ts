import { everyMethod } from '@/lib/access/reply';
import { handleGateway } from '@/lib/gateway/gateway';

type Context = { params: Promise<{ path: string[] }> };

/** The services' own routes, passed through. Our routes are files of their own; the streams are in pages/api. */
async function passThrough(request: Request, { params }: Context): Promise<Response> {
  const { pathname } = new URL(request.url);
  // A path that decoding changed matches no route.
  const isPlain = pathname === `/api/${(await params).path.join('/')}`;
  return handleGateway(request, isPlain);
}

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = everyMethod(passThrough);
