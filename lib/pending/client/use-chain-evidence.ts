'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getAnswer, pollEvery } from '@/lib/core/gateway';
import { CHAIN_CAUSE_PATH, readChainEvidence } from '@/lib/pending/chain-cause';
import { type DiagnosisLocator, triageAddress } from '@/lib/pending/pending-response';

export function chainEvidenceAddress(target: { id: string } | DiagnosisLocator): string {
  if ('id' in target) return `${CHAIN_CAUSE_PATH}?${new URLSearchParams({ id: target.id })}`;
  const { networkId: network, sequence, keeper, provider, tx } = target;
  const query = new URLSearchParams({ network, sequence });
  for (const [name, value] of Object.entries({ keeper, provider, tx })) if (value) query.set(name, value);
  return `${CHAIN_CAUSE_PATH}?${query}`;
}

const CHAIN_POLL_MS = 60_000;

/** The list and the report at `reportAddress` name the same cause, so both are refetched with it. */
export function useChainEvidence(address: string, reportAddress: string) {
  const client = useQueryClient();
  const { data: chain, dataUpdatedAt: receivedAtMs } = useQuery({
    queryKey: [address],
    queryFn: async ({ signal }) => {
      const evidence = await getAnswer(address, readChainEvidence, signal);
      for (const path of [reportAddress, triageAddress()])
        void client.invalidateQueries({ queryKey: [path], exact: true });
      return evidence;
    },
    refetchInterval: pollEvery(CHAIN_POLL_MS),
  });
  return { chain, receivedAtMs };
}
