/** A key that opens nothing and is easy to find: the tests build and run with it and then search everything for it. */
export const CANARY = 'canary-3f9c1d7be2a84550';

/** Every setting that holds a secret, set to the canary. */
export const CANARY_SETTINGS = {
  LOGS_API_KEY: CANARY,
  UPDATES_API_KEY: CANARY,
  UPGRADED_UPDATES_API_KEY: CANARY,
  ROUTER_API_KEY: CANARY,
  METRICS_TOKEN: CANARY,
};
