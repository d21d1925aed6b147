'use client';
import { useMemo } from 'react';
import { Acknowledge } from '@/components/alerts/acknowledge';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Link } from '@/components/ui/link';
import { Muted, Section } from '@/components/ui/text';
import { type Acknowledged, targetKey } from '@/lib/alerts/acknowledge';
import { FollowAcknowledgements, useAcknowledgements } from '@/lib/alerts/client/use-acknowledgements';
import { type Network, unknownNetwork } from '@/lib/core/network';
import { clipped, shortenHex } from '@/lib/core/text';
import { incidentPath } from '@/lib/pending/pending-response';
import { linkOfKey, locatorOfKey } from '@/lib/requests/request-address';
import { defaultRequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import classes from './pending.module.css';

export function AcknowledgedList({ networks }: { networks: readonly Network[] }) {
  const acknowledgements = useAcknowledgements();
  const nameOf = useMemo(() => {
    const names = new Map(networks.map(({ networkId, name }) => [networkId, name]));
    return (id: string) => clipped(names.get(id) ?? unknownNetwork(id).name, 60);
  }, [networks]);
  const rows = [...(acknowledgements?.values() ?? [])].toSorted((a, b) => b.atMs - a.atMs);
  const columns: Column<Acknowledged>[] = [
    {
      name: 'What',
      kind: 'head',
      cell: (acknowledgement) => {
        const { name, href } = subjectOf(acknowledgement, nameOf);
        return (
          <div className={classes.wrapped}>
            <Link href={href} className="foreign">
              {name}
            </Link>
          </div>
        );
      },
    },
    {
      name: 'Acknowledged',
      cell: (acknowledgement) => (
        <div className={classes.wrapped}>
          <Acknowledge targets={[acknowledgement]} what={subjectOf(acknowledgement, nameOf).name} />
        </div>
      ),
    },
  ];
  return (
    <Section title="Acknowledged" isRegion>
      <FollowAcknowledgements />
      {acknowledgements === undefined ? (
        <Muted>Loading…</Muted>
      ) : rows.length === 0 ? (
        <Muted>Nothing is acknowledged.</Muted>
      ) : (
        <DataTable
          label="Acknowledged"
          columns={columns}
          rows={rows}
          first={{ count: 20, noun: 'acknowledged' }}
          rowProps={(acknowledgement) => ({
            key: targetKey(acknowledgement),
            'data-acknowledged-kind': acknowledgement.kind,
          })}
        />
      )}
    </Section>
  );
}

const INCIDENT_WORDS: Record<string, string> = {
  network: 'whole network',
  sender: 'one sender',
  transaction: 'one batch',
  replica: 'one replica',
  gas: 'unusual gas limit',
  silence: 'network quiet',
  rest: 'stuck together',
};

const CHAIN_WORDS: Record<string, string> = {
  wallet: 'keeper’s wallet',
  nonce: 'hanging transactions of',
  numbers: 'random numbers of',
  hashes: 'hashes of',
};

/** Derived from the id: `main/8453/network`. */
function subjectOf({ kind, id }: Acknowledged, nameOf: (networkId: string) => string) {
  if (kind === 'failure') {
    const href = formatRequestsUrl({ ...defaultRequestsView(), failures: [id] });
    return { name: `Failure: ${clipped(id, 100)}`, href };
  }
  if (kind === 'incident') {
    const [, networkId = '', subject = ''] = id.split('/');
    const words = INCIDENT_WORDS[subject] ?? subject;
    return { name: `Incident on ${nameOf(networkId)}: ${words}`, href: incidentPath(id) };
  }
  if (kind === 'chain') {
    const [problem = '', , networkId = '', address = ''] = id.split('/');
    const words = CHAIN_WORDS[problem] ?? problem;
    return { name: `${nameOf(networkId)}: ${words} ${shortenHex(clipped(address, 80))}`, href: '/' as const };
  }
  const locator = locatorOfKey(id);
  const name =
    locator === undefined
      ? 'Request'
      : `${nameOf(locator.networkId)}: request ${clipped(locator.sequence, 40)}`;
  return { name, href: linkOfKey(id)?.href ?? ('/requests' as const) };
}
