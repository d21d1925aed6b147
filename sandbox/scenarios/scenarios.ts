import { addressOf, KIND } from '@/sandbox/logs/identity';
import type { LogWorld } from '@/sandbox/logs/log-world';
import { type Keeper, LANES, NETWORKS } from '@/sandbox/logs/networks';
import { STATE } from '@/sandbox/logs/row-table';
import { providerAddress } from '@/sandbox/logs/row-writer';
import { type ScenarioName, scenarioAt, showsOf } from './catalogue';
import { type Figures, figuresOf } from './figures';
import type { Plot, Rule } from './plot';

/** What the control interface does with scenarios. */
export type Scenarios = {
  /** Sets one in the place of the one before and says what it made. */
  start: (name: ScenarioName, nowMs: number) => unknown;
  active: () => { name: ScenarioName; since: string } | undefined;
};

/** Stuck requests that are named one by one. */
const NAMED_REQUESTS = 50;

/** What went wrong on one network, for a test to compare with. Times are ISO. */
type Incident = {
  rule: Rule;
  keeper: Keeper;
  network_id: string;
  chain_id: string;
  provider: string;
  pending: number;
  senders: number;
  since: string;
  newest: string;
  figures: Figures;
  requests: { sequence: number; request_tx_hash: string; sender: string; created_at: string }[];
};

export function createScenarios(world: LogWorld, seed: number): Scenarios {
  return {
    start: (name, nowMs) => {
      world.setScenario(scenarioAt(seed, name, nowMs), nowMs);
      return reportOf(world, name, nowMs);
    },
    active: () => {
      const { scenario } = world;
      return scenario && { name: scenario.name, since: isoOf(scenario.sinceMs) };
    },
  };
}

function reportOf(world: LogWorld, name: ScenarioName, nowMs: number): unknown {
  const plots = world.scenario?.plots ?? [];
  const incidents = plots.map((plot, place) => incidentOf(world, plot, place, nowMs));
  const keepers = [...new Set(incidents.map(({ keeper }) => keeper))];
  return {
    name,
    shows: showsOf(name),
    keeper: keepers.length > 1 ? 'both' : keepers[0],
    at: isoOf(nowMs),
    since: incidents.map(({ since }) => since).sort()[0],
    networks: incidents.map(({ network_id }) => network_id),
    rows: incidents.reduce((sum, { pending }) => sum + pending, 0),
    incidents,
  };
}

function incidentOf(world: LogWorld, plot: Plot, place: number, nowMs: number): Incident {
  const { table, mixer } = world;
  const network = NETWORKS[plot.network];
  if (!network) throw new Error(`there is no network ${plot.network}`);
  const parts = world.parts.filter((part) => part.plot === place);
  const rows = parts.filter(({ role }) => role === 'stuck').map(({ row }) => row);
  const stuck = rows.filter((row) => table.state(row) === STATE.pending);
  const times = stuck.map((row) => table.createdAt(row));
  return {
    rule: plot.rule,
    keeper: network.keeper,
    network_id: network.networkId,
    chain_id: network.chainName,
    provider: `0x${providerAddress(mixer, network, LANES[plot.lane]?.provider ?? 0)}`,
    pending: stuck.length,
    senders: new Set(stuck.map((row) => table.sender(row))).size,
    since: isoOf(times[0] ?? nowMs),
    newest: isoOf(times.at(-1) ?? nowMs),
    figures: figuresOf(world, plot, { parts, stuck, nowMs }),
    requests: stuck.slice(0, NAMED_REQUESTS).map((row) => ({
      sequence: table.sequence(row),
      request_tx_hash: `0x${world.requestHash(world.identityOf(row))}`,
      sender: `0x${addressOf(mixer, KIND.sender, table.sender(row))}`,
      created_at: isoOf(table.createdAt(row)),
    })),
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
