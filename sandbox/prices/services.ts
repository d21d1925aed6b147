import type { SandboxClock } from '@/sandbox/clock';
import type { SandboxService } from '@/sandbox/service';
import { PriceModel } from './price-model';
import { createRouterService } from './router-service';
import type { Generation } from './signers';
import { UpdateBlobs } from './update-blobs';
import { createUpdateService } from './update-service';
import type { StartInterval } from './update-streams';

type PriceServicesOptions = {
  clock: SandboxClock;
  /** Seed of all prices, keys and signatures. */
  seed: number;
  /** Generation of the old host. The second host always has the upgraded generation. */
  generation: () => Generation;
  every?: StartInterval;
};

const everyByTimer: StartInterval = (ms, run) => {
  // A sandbox may never be closed, so its streams must not prevent the process from ending.
  const timer = setInterval(run, ms).unref();
  return () => clearInterval(timer);
};

/** The services run from the first stream on. */
export function createPriceServices(options: PriceServicesOptions): SandboxService[] {
  const { clock, generation, every = everyByTimer } = options;
  const seed = String(options.seed);
  const model = new PriceModel(seed);
  const shared = { clock, model, blobs: new UpdateBlobs(model, seed), every };
  return [
    createUpdateService({ ...shared, name: 'updates', base: '/updates', generation }),
    createUpdateService({ ...shared, name: 'upgraded', base: '/upgraded/hermes', generation: () => 'after' }),
    createRouterService({ clock, model, seed }),
  ];
}
