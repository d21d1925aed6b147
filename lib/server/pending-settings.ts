import 'server-only';
import {
  type PendingSettings,
  type PendingThresholds,
  settingsWith,
  thresholdsProblem,
  USUAL_SETTINGS,
} from '@/lib/pending/rules/thresholds';
import { MOST_THRESHOLD_S, type NetworkSettingsById, refuseOddThresholds } from './network-settings';
import { type Environment, refuseSetting, settingOf } from './settings-error';

/** The variables of the thresholds that all networks share; the backlog is a matter of each network. */
const VARIABLES = {
  slowAfterS: 'PENDING_SLOW_S',
  retryBudgetS: 'PENDING_RETRY_S',
  stuckAfterS: 'PENDING_STUCK_S',
} as const;

/**
 * Reads the thresholds that the environment sets, and checks those of single networks against them.
 * @throws SettingsError that names the variable
 */
export function readPendingThresholds(
  env: Environment,
  networks: NetworkSettingsById,
): Partial<PendingThresholds> {
  const given: Partial<PendingThresholds> = {};
  for (const [member, name] of Object.entries(VARIABLES) as [keyof typeof VARIABLES, string][]) {
    const text = settingOf(env, name);
    if (text !== undefined) given[member] = secondsOf(name, text);
  }
  const problem = thresholdsProblem({ ...USUAL_SETTINGS, ...given });
  if (problem !== undefined) refuseSetting(byVariables(problem));
  refuseOddThresholds(networks, given);
  return given;
}

function secondsOf(name: string, text: string): number {
  const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= MOST_THRESHOLD_S) return value;
  return refuseSetting(`${name} should be a number of seconds above 0 and at most ${MOST_THRESHOLD_S}`);
}

/** The sentence with the names that the operator knows. */
function byVariables(problem: string): string {
  return Object.entries(VARIABLES).reduce((line, [member, name]) => line.replaceAll(member, name), problem);
}

/** The thresholds of a network: its own, else those of the environment, else what keepers usually do. */
export function thresholdsOf(
  settings: { networks: NetworkSettingsById; pending: Partial<PendingThresholds> },
  networkId: string,
): PendingSettings {
  const own = Object.hasOwn(settings.networks, networkId) ? settings.networks[networkId] : undefined;
  return settingsWith({ ...settings.pending, ...own?.thresholds });
}
