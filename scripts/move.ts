import { readSecret } from '@/lib/server/secret';
import { main } from '@/lib/store/move';

/** `npm run move`: see lib/store/move.ts. */
await main(() => readSecret(process.env, 'STORE_URL', { kind: 'database' })?.());
