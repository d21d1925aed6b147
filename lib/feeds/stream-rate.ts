/**
 * How many updates a second each page asks the stream of prices for, for each feed (`max_per_s`; server/subscribers.ts keeps to it):
 * nobody reads numbers that change faster. Of what comes in between the latest wins.
 */
export const UPDATES_PER_S = 5;

/** A screen holds about so many tiles. Of more nobody follows every one, and they share what the browser can do. */
export const MANY_TILES = 24;
export const UPDATES_PER_S_OF_MANY = 2;
