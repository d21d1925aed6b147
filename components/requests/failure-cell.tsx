'use client';
import { decodeFailure } from '@/lib/core/failure';
import { clipped } from '@/lib/core/text';
import type { ListedRecord } from '@/lib/requests/cell-text';

/** Why it failed: the decoded error in a few words; its meaning and what the service wrote on hover. */
export function FailureCell({ record }: { record: ListedRecord }) {
  const failure = decodeFailure(record);
  if (failure === undefined) return null;
  const { text, name, meaning, raw } = failure;
  const title = [name === text ? undefined : name, meaning, clipped(raw, 500)].filter(Boolean).join('\n');
  return <bdi title={title}>{clipped(text, 120)}</bdi>;
}
