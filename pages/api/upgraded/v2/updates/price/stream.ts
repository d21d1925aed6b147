import { streamAnswer } from '@/lib/runtime/streams';

/** A handler in app/api could neither disconnect a client that does not read nor tell HEAD from GET (ADR 0001). */
export const config = { api: { bodyParser: false, responseLimit: false, externalResolver: true } };

export default streamAnswer('upgraded');
