import { streamAnswer } from '@/lib/runtime/streams';

/** Here and not in app/api: only here can a reader that doesn't read be cut and a HEAD be told apart. */
export const config = { api: { bodyParser: false, responseLimit: false, externalResolver: true } };

export default streamAnswer('revisions');
