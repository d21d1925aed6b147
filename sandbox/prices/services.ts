import type { SandboxClock } from '@/sandbox/clock';
import type { SandboxService } from '@/sandbox/server';
import { PriceModel } from './price-model';
import { createRouterService } from './router-service';
import { type Generation, RouterSigner } from './signers';
import { UpdateBlobs } from './update-blobs';
import { createUpdateService } from './update-service';

type PriceServicesOptions = {
  clock: SandboxClock;
  /** All prices, keys and signatures follow from it. */
  seed: number;
  /** Which generation of payloads the old host serves now. The second host is the upgraded one throughout. */
  generation: () => Generation;
  /** Real milliseconds, for the waits that do not follow the sandbox's clock. */
  realNow?: () => number;
};

/** The simulated price services: `updates`, `upgraded` and `router`. Nothing runs until a stream is opened. */
export function createPriceServices(options: PriceServicesOptions): SandboxService[] {
  const { clock, generation, realNow = () => performance.now() } = options;
  const seed = String(options.seed);
  const model = new PriceModel(seed);
  const blobs = new UpdateBlobs(model, seed);
  const shared = { clock, model, blobs, realNow };
  return [
    createUpdateService({ ...shared, name: 'updates', base: '/updates', generation }),
    createUpdateService({ ...shared, name: 'upgraded', base: '/upgraded/hermes', generation: () => 'after' }),
    createRouterService({ clock, model, signer: new RouterSigner(seed) }),
  ];
}
