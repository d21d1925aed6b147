import { streamAnswer } from '@/lib/runtime/streams';

/** In pages/api: a handler in app/api could neither cut a client that does not read nor tell HEAD from GET (ADR 0001). */
export const config = { api: { bodyParser: false, responseLimit: false, externalResolver: true } };

export default streamAnswer('updates');
