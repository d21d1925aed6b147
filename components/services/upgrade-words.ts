import type { IconName } from '@/components/ui/icons';
import type { PayloadGeneration } from '@/lib/domain/payload/generation';
import type { FeedAgreement } from '@/lib/domain/upgrade-check-prices';
import type { ShapeDifference } from '@/lib/domain/upgrade-check-shape';
import type { ContractFit, HostGeneration, UpgradeHost } from '@/lib/domain/upgrade-check-verdict';

export const HOST_WORDS: Record<UpgradeHost, string> = { old: 'Old host', upgraded: 'Upgraded host' };

export const CONTRACT_WORDS: Record<UpgradeHost, string> = {
  old: 'Contract that is not upgraded',
  upgraded: 'Upgraded contract',
};

export const GENERATION_WORDS: Record<HostGeneration, string> = {
  'before-upgrade': 'Before the upgrade',
  upgraded: 'Upgraded',
  mixed: 'Both generations',
  unknown: 'Can’t be told',
  none: 'No payload',
};

export const FIT_WORDS: Record<ContractFit['verifies'], string> = {
  yes: 'verifies',
  no: 'fails',
  sometimes: 'some verify, some fail',
  unknown: 'can’t be told',
};

export const FIT_ICONS: Record<ContractFit['verifies'], IconName> = {
  yes: 'check',
  no: 'cross',
  sometimes: 'alert',
  unknown: 'question',
};

export const AGREEMENT_WORDS: Record<FeedAgreement['standing'], string> = {
  equal: 'equal to the digit',
  within: 'within the combined confidence',
  beyond: 'beyond the combined confidence',
  'other-moment': 'another moment, not compared',
};

export const AGREEMENT_ICONS: Record<FeedAgreement['standing'], IconName> = {
  equal: 'check',
  within: 'check',
  beyond: 'cross',
  'other-moment': 'clock',
};

export const SHAPE_WORDS: Record<ShapeDifference['kind'], string> = {
  added: 'added on the upgraded host',
  missing: 'missing on the upgraded host',
  changed: 'of another type',
  optional: 'null or absent on one host',
};

/** The generation within a file that is copied, where nothing else explains it. */
export function generationLabel(generations: readonly PayloadGeneration[]): HostGeneration {
  const told = new Set(generations);
  if (told.size > 1) return 'mixed';
  return generations[0] ?? 'none';
}
