import { readSecret } from '@/lib/platform/secret';
import { main } from '@/lib/store/move';

/** `npm run move`: see lib/store/move.ts. */
await main(() => readSecret(process.env, 'STORE_URL', { kind: 'database' })?.());
