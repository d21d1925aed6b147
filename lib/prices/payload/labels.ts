import { formatScaled } from '@/lib/core/numbers';
import { assertNever } from '@/lib/core/outcome';
import { formatIsoSeconds, secondsToMillis, unixSeconds } from '@/lib/core/time';
import type { PayloadGeneration } from './check';
import type { PriceMessage } from './decode';

/** A generation in two or three words, for labels. */
export function generationName(generation: PayloadGeneration): string {
  switch (generation) {
    case 'before-upgrade':
      return 'Before the upgrade';
    case 'upgraded':
      return 'Upgraded';
    case 'unknown':
      return 'Generation not known';
    default:
      return assertNever(generation);
  }
}

/** What a generation means for who submits the payload. */
export function generationMeaning(generation: PayloadGeneration): string {
  switch (generation) {
    case 'before-upgrade':
      return 'Only the contract from before the upgrade can accept it, if the signers are its guardians.';
    case 'upgraded':
      return 'Only the upgraded contract can accept it, if the signers are its guardians.';
    case 'unknown':
      return 'No contract can be expected to accept it.';
    default:
      return assertNever(generation);
  }
}

/** `2026-11-20T08:05:03Z`; undefined for seconds that no date of four-digit years has. */
export function secondsAsIso(seconds: bigint): string | undefined {
  const known = unixSeconds(Number(seconds));
  return known === undefined ? undefined : formatIsoSeconds(secondsToMillis(known));
}

/** What a member of the price stands for, beside its raw digits: the exact decimal, or the date. */
export function memberMeaning(member: string, message: PriceMessage): string | undefined {
  const scaled = (mantissa: bigint) => formatScaled({ mantissa, expo: message.expo });
  switch (member) {
    case 'price.price':
      return scaled(message.price);
    case 'price.conf':
      return scaled(message.conf);
    case 'ema_price.price':
      return scaled(message.emaPrice);
    case 'ema_price.conf':
      return scaled(message.emaConf);
    case 'price.publish_time':
    case 'ema_price.publish_time':
      return secondsAsIso(message.publishTimeS);
    case 'metadata.prev_publish_time':
      return secondsAsIso(message.prevPublishTimeS);
    default:
      return undefined;
  }
}

/** `1,211 bytes`. */
export function sizeWords(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${String(bytes).replace(/\B(?=(\d{3})+$)/g, ',')} bytes`;
}

/** An offset for people and for programs: `byte 874 (0x36a)`. */
export function offsetWords(offset: number): string {
  return `byte ${offset} (0x${offset.toString(16)})`;
}
