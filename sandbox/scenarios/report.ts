import { type LogRow, providerAddress, requestHash, senderAddress } from '@/sandbox/logs/log-row';
import type { LogWorld } from '@/sandbox/logs/log-world';
import { networkAt } from '@/sandbox/logs/networks';
import type { Incident } from './catalogue';
import { networkNamed, type Scenario } from './scenario';

const MAX_LISTED_REQUESTS = 50;

/** Figures of a scenario for tests to compare with. */
export function describeScenario(world: LogWorld): unknown {
  const { scenario } = world;
  if (!scenario) return undefined;
  const incidents = scenario.incidents
    .filter(({ rule }) => rule !== undefined)
    .map((incident) => describeIncident(world, scenario, incident));
  return {
    name: scenario.name,
    shows: scenario.shows,
    networks: incidents.map(({ network_id }) => network_id),
    rows: incidents.reduce((sum, { pending }) => sum + pending, 0),
    incidents,
  };
}

function describeIncident(world: LogWorld, { parts, sinceMs }: Scenario, incident: Incident) {
  const network = networkAt(networkNamed(incident.network));
  const rowsOf = (wanted: 'stuck' | 'twin') =>
    parts.flatMap((part) => (part.incident === incident && part.role === wanted ? [part.row] : []));
  const stuck = rowsOf('stuck').filter((row) => world.getState(row).state === 'Pending');
  const describe = (row: LogRow) => ({
    sequence: row.sequence,
    request_tx_hash: requestHash(row),
    sender: senderAddress(world.mixer, row.sender),
    created_at: new Date(row.createdMs),
  });
  return {
    rule: incident.rule,
    keeper: network.keeper,
    network_id: network.networkId,
    chain_id: network.chainName,
    // The first provider.
    provider: providerAddress(world.mixer, network, 0),
    pending: stuck.length,
    senders: new Set(stuck.map(({ sender }) => sender)).size,
    since: new Date(stuck[0]?.createdMs ?? sinceMs),
    /** Oldest first. */
    requests: stuck.slice(0, MAX_LISTED_REQUESTS).map(describe),
    /** Completed, with the same sequence number. */
    twins: rowsOf('twin').map(describe),
  };
}
