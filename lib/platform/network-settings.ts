import 'server-only';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isExplorerTemplate } from '@/lib/core/network';
import {
  type PendingSettings,
  type PendingThresholds,
  pendingSettingsFrom,
  thresholdsProblem,
} from '@/lib/core/pending-settings';
import { type Environment, readSetting, refuseSetting } from './secret';

/** Absent members come from the built-in registry. */
export type NetworkSettings = {
  name?: string;
  explorerTx?: string;
  explorerAddress?: string;
  /** The randomness contract, if no keeper names it. */
  contract?: string;
  thresholds?: Partial<PendingThresholds>;
};

/** Settings by network id in decimal digits. */
export type NetworkSettingsById = Readonly<Record<string, NetworkSettings>>;

/** A threshold in seconds, and one in blocks. */
export const MAX_THRESHOLD_S = 604_800;
const MAX_BLOCKS = 1_000_000_000;

const amount = (min: number, max: number, form: string) =>
  z.number(form).min(min, form).max(max, form).optional();

const seconds = amount(0.001, MAX_THRESHOLD_S, `a number of seconds above 0 and at most ${MAX_THRESHOLD_S}`);
const NAME_FORM = 'a text of 1 to 100 characters';

/** https only, with the placeholder outside of the host. */
const template = (placeholder: '{hash}' | '{address}') =>
  z
    .string()
    .refine(
      (text) => /^https:\/\/[^\s{}/]+\/\S*$/.test(text) && isExplorerTemplate(text, placeholder),
      `an https URL with ${placeholder} in it`,
    );

const entrySchema = z.strictObject({
  name: z.string().trim().min(1, NAME_FORM).max(100, NAME_FORM).optional(),
  explorerTx: template('{hash}').optional(),
  explorerAddress: template('{address}').optional(),
  contract: z
    .string()
    .regex(/^0x[0-9a-f]{40}$/i, 'an address of 0x and 40 hex digits')
    .optional(),
  slowAfterS: seconds,
  retryBudgetS: seconds,
  stuckAfterS: seconds,
  backlogBlocks: amount(0, MAX_BLOCKS, `a number of blocks from 0 to ${MAX_BLOCKS}`),
});

const FORM =
  'NETWORKS_FILE should name a readable JSON file of the form {"<network id>": {"name", "explorerTx", "explorerAddress", "contract", "slowAfterS", "retryBudgetS", "stuckAfterS", "backlogBlocks"}}';

/** @throws SettingsError that names variable, network and member, but never the value */
export function readNetworkSettings(
  env: Environment,
  readText: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): NetworkSettingsById {
  const path = readSetting(env, 'NETWORKS_FILE');
  if (path === undefined) return {};
  const file = z.record(z.string(), z.unknown()).safeParse(jsonOf(path, readText));
  if (!file.success || Array.isArray(file.data)) refuseSetting(FORM);
  return Object.fromEntries(Object.entries(file.data).map(([id, entry]) => [id, readEntry(id, entry)]));
}

/** The parser's own message would quote the file, which may be a secret that was named by mistake. */
function jsonOf(path: string, readText: (path: string) => string): unknown {
  try {
    return JSON.parse(readText(path));
  } catch {
    return undefined;
  }
}

function readEntry(id: string, entry: unknown): NetworkSettings {
  if (!/^(0|[1-9][0-9]{0,19})$/.test(id)) refuseSetting(FORM);
  const parsed = entrySchema.safeParse(entry);
  if (parsed.success) return settingsOfEntry(parsed.data);
  const issue = parsed.error.issues[0];
  const member = issue?.path[0];
  if (member === undefined) refuseSetting(`${FORM}; network ${id} has something else`);
  const form = issue?.code === 'invalid_type' && issue.expected === 'string' ? 'a text' : issue?.message;
  return refuseSetting(`NETWORKS_FILE: ${String(member)} of network ${id} should be ${form}`);
}

function settingsOfEntry(entry: z.output<typeof entrySchema>): NetworkSettings {
  const { slowAfterS, retryBudgetS, stuckAfterS, backlogBlocks, ...names } = entry;
  const setEntries = Object.entries({ slowAfterS, retryBudgetS, stuckAfterS, backlogBlocks }).filter(
    ([, value]) => value !== undefined,
  );
  return setEntries.length === 0 ? names : { ...names, thresholds: Object.fromEntries(setEntries) };
}

/** Shared by all networks. The backlog is set per network only. */
const VARIABLES = {
  slowAfterS: 'PENDING_SLOW_S',
  retryBudgetS: 'PENDING_RETRY_S',
  stuckAfterS: 'PENDING_STUCK_S',
} as const;

/** @throws SettingsError that names the variable */
export function checkThresholds(shared: Partial<PendingThresholds>, networks: NetworkSettingsById): void {
  const problem = thresholdsProblem(pendingSettingsFrom(shared));
  if (problem !== undefined) {
    const names = Object.entries(VARIABLES);
    refuseSetting(names.reduce((line, [member, name]) => line.replaceAll(member, name), problem));
  }
  for (const [id, { thresholds }] of Object.entries(networks)) {
    const problemOfNetwork =
      thresholds && thresholdsProblem(pendingSettingsFrom({ ...shared, ...thresholds }));
    if (problemOfNetwork) refuseSetting(`NETWORKS_FILE: of network ${id}, ${problemOfNetwork}`);
  }
}

/** Thresholds of the network's settings, else of the environment, else the defaults. */
export function thresholdsOf(
  settings: { networks: NetworkSettingsById; pending: Partial<PendingThresholds> },
  networkId: string,
): PendingSettings {
  const network = Object.hasOwn(settings.networks, networkId) ? settings.networks[networkId] : undefined;
  return pendingSettingsFrom({ ...settings.pending, ...network?.thresholds });
}

/** Seconds after which a request is stuck: the default, and those of networks with thresholds of their own. */
export function stuckThresholds(settings: Parameters<typeof thresholdsOf>[0]) {
  const networkIds = Object.keys(settings.networks).filter(
    (id) => settings.networks[id]?.thresholds !== undefined,
  );
  return {
    // An empty id gives the shared values.
    fallback: thresholdsOf(settings, '').retryBudgetS,
    networks: Object.fromEntries(networkIds.map((id) => [id, thresholdsOf(settings, id).retryBudgetS])),
  };
}
