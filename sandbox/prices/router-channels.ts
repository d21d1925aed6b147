/** The channels of the router in the listed order, fastest first. */
export const CHANNELS = [
  'real_time',
  'fixed_rate@1ms',
  'fixed_rate@50ms',
  'fixed_rate@200ms',
  'fixed_rate@1000ms',
] as const;
export type Channel = (typeof CHANNELS)[number];

/** The number a channel has in a signed payload. `real_time` and 1 ms share the first one, as they once did. */
export const CHANNEL_NUMBER: Readonly<Record<Channel, number>> = {
  real_time: 1,
  'fixed_rate@1ms': 1,
  'fixed_rate@50ms': 2,
  'fixed_rate@200ms': 3,
  'fixed_rate@1000ms': 4,
};

/** The channels that a feed with this `min_channel` can serve: it and every later (slower) one. */
export function permittedChannels(minChannel: Channel): readonly Channel[] {
  return CHANNELS.slice(CHANNELS.indexOf(minChannel));
}
