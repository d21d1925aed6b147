import { readFileSync } from 'node:fs';

/**
 * Every setting that holds a secret, each with one that opens nothing and occurs nowhere else: the tests build and run with
 * them and then search everything for them (e2e/canary.spec.ts). In the middle stand characters that encodings change.
 * @type {Record<string, string>}
 */
export const CANARY_SETTINGS = JSON.parse(readFileSync(new URL('canary.json', import.meta.url), 'utf8'));
