import { main } from '@/lib/store/move';

/** `npm run move`: see lib/store/move.ts. */
await main();
