'use client';
import { useEffect } from 'react';
import { clipped } from '@/lib/client/foreign-text';
import { rememberRequest } from '@/lib/client/palette-recents';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { requestPath } from '@/lib/requests/request-address';
import { useNetwork } from './networks-context';

/** Puts a request that is looked at among those that the command palette offers. */
export function useRememberedRequest(record: ListedRow & { kind: 'record' }): void {
  const network = useNetwork(record.networkId);
  const label = `${clipped(network.name, 60)} ${record.sequence}`;
  const path = requestPath(record);
  useEffect(() => rememberRequest(label, path), [label, path]);
}
