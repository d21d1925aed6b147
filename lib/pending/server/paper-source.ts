import 'server-only';
import { incidentPath } from '@/lib/contract/codec/triage';
import type { LoggedRow } from '@/lib/domain/diagnosis/evidence';
import type { PaperSource } from '@/lib/domain/diagnosis/hand-over';
import { logsCallAsCurl } from '@/lib/domain/logs-curl';
import { explorerTxUrl, unknownNetwork } from '@/lib/domain/network';
import { networksFor } from '@/lib/server/network-directory';

/** What papers about requests of this network need. @param origin of the dashboard, as its visitor sees it */
export async function paperSource(origin: string, networkId: string, nowMs: number): Promise<PaperSource> {
  const [network = unknownNetwork(networkId)] = await networksFor([networkId]);
  return {
    networkName: (id) => (id === networkId ? network.name : `Network ${id}`),
    requestUrl: (row) => `${origin}${requestPath(row)}`,
    incidentUrl: ({ id }) => `${origin}${incidentPath(id)}`,
    explorerUrl: (row) =>
      row.networkId === networkId ? explorerTxUrl(network, row.requestTxHash) : undefined,
    curl: (query) => logsCallAsCurl(new URLSearchParams(query)),
    nowMs,
  };
}

function requestPath({ keeper, networkId, sequence, provider, requestTxHash }: LoggedRow): string {
  const query = new URLSearchParams({ keeper });
  if (provider) query.set('provider', provider);
  if (requestTxHash) query.set('tx', requestTxHash);
  return `/requests/${networkId}/${sequence}?${query}`;
}

/**
 * Where the dashboard is for whoever asks. The host name has passed the guard; a proxy in front says whether it was
 * reached by https.
 */
export function originOf({ url, headers }: Request): string {
  const forwarded = headers.get('x-forwarded-proto')?.split(',')[0]?.trim();
  const protocol = forwarded === 'https' ? 'https:' : new URL(url).protocol;
  return `${protocol}//${headers.get('host') ?? new URL(url).host}`;
}
