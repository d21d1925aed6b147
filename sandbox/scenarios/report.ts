import { isoTime, type LogRow, providerAddress, requestHash, senderAddress } from '@/sandbox/logs/log-row';
import type { LogWorld } from '@/sandbox/logs/log-world';
import { laneAt, networkAt } from '@/sandbox/logs/networks';
import type { Incident, Rule } from './scenario-rows';

/** Stuck requests that are named one by one. */
const NAMED_REQUESTS = 50;

/** What a scenario made, for a test to compare with. Times are ISO. */
export function describeScenario(world: LogWorld, nowMs: number): unknown {
  const { scenario } = world;
  if (!scenario) return undefined;
  const { name, shows } = scenario.scenario;
  const incidents = scenario.scenario.incidents.flatMap((incident) =>
    incident.rule === undefined ? [] : describeIncident(world, incident, incident.rule, nowMs),
  );
  const keepers = [...new Set(incidents.map(({ keeper }) => keeper))];
  return {
    ...{ name, shows },
    keeper: keepers.length > 1 ? 'both' : keepers[0],
    at: isoTime(nowMs),
    since: incidents.map(({ since }) => since).sort()[0],
    networks: incidents.map(({ network_id }) => network_id),
    rows: incidents.reduce((sum, { pending }) => sum + pending, 0),
    incidents,
  };
}

function describeIncident(world: LogWorld, incident: Incident, rule: Rule, nowMs: number) {
  const network = networkAt(incident.network);
  const parts = world.scenario?.parts.filter((part) => part.incident === incident) ?? [];
  const rowsOf = (wanted: 'stuck' | 'twin') =>
    parts.flatMap(({ role, row }) => (role === wanted ? [row] : []));
  const stuck = rowsOf('stuck').filter((row) => world.getState(row).state === 'Pending');
  const describe = (row: LogRow) => ({
    sequence: row.sequence,
    request_tx_hash: `0x${requestHash(row)}`,
    sender: senderAddress(world.mixer, row.sender),
    created_at: isoTime(row.createdMs),
  });
  return {
    rule,
    keeper: network.keeper,
    network_id: network.networkId,
    chain_id: network.chainName,
    provider: providerAddress(world.mixer, network, laneAt(incident.lane).provider),
    pending: stuck.length,
    senders: new Set(stuck.map(({ sender }) => sender)).size,
    since: isoTime(stuck[0]?.createdMs ?? nowMs),
    newest: isoTime(stuck.at(-1)?.createdMs ?? nowMs),
    /** Oldest first. */
    requests: stuck.slice(0, NAMED_REQUESTS).map(describe),
    /** The completed ones with the same number. */
    twins: rowsOf('twin').map(describe),
  };
}
