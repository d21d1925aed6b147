'use client';
import { useMemo, useSyncExternalStore } from 'react';
import { type CheckStanding, PayloadChecks } from '@/lib/client/payload-checks';
import type { DecodedUpdate } from '@/lib/domain/payload/decode-update';
import type { Inspection } from '@/lib/domain/payload/inspect';

/** Verifies what an inspection found, in slices. The checks stand in the order of its updates, faults left out. */
export function usePayloadChecks(inspection: Inspection): {
  updates: readonly DecodedUpdate[];
  standing: CheckStanding;
} {
  const { updates, checks } = useMemo(() => {
    const found = inspection.payloads.flatMap((one) => (one.kind === 'update' ? [one.update] : []));
    return { updates: found, checks: new PayloadChecks(found) };
  }, [inspection]);
  return { updates, standing: useSyncExternalStore(checks.subscribe, checks.standing, checks.standing) };
}
