import 'server-only';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isExplorerTemplate } from '@/lib/domain/network';
import { type Environment, refuseSetting, settingOf } from './settings-error';

/** What an operator says about one network; what is absent comes from the built-in registry. */
export type NetworkSettings = { name?: string; explorerTx?: string; explorerAddress?: string };

/** By network id, as decimal text. */
export type NetworkSettingsById = Readonly<Record<string, NetworkSettings>>;

/** Thresholds that the file may hold by the documentation, but that no page reads. */
const NOT_HONOURED = ['slowAfterS', 'retryBudgetS', 'stuckAfterS', 'backlogBlocks'];

const template = (placeholder: '{hash}' | '{address}') =>
  z.string().refine((text) => isTemplate(text, placeholder), `an https URL with ${placeholder} in it`);

const entrySchema = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1, 'a text of 1 to 100 characters')
    .max(100, 'a text of 1 to 100 characters')
    .optional(),
  explorerTx: template('{hash}').optional(),
  explorerAddress: template('{address}').optional(),
});

const FORM =
  'NETWORKS_FILE should name a readable JSON file of the form {"<network id>": {"name", "explorerTx", "explorerAddress"}}';

/**
 * Reads the file that `NETWORKS_FILE` names; nothing when it is not set.
 * @throws SettingsError that names the variable, and the network and member at fault, never what stands there
 */
export function readNetworkSettings(
  env: Environment,
  readText: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): NetworkSettingsById {
  const path = settingOf(env, 'NETWORKS_FILE');
  if (path === undefined) return {};
  const file = z.record(z.string(), z.unknown()).safeParse(parseJson(path, readText));
  if (!file.success || Array.isArray(file.data)) refuseSetting(FORM);
  return Object.fromEntries(Object.entries(file.data).map(([id, entry]) => [id, readEntry(id, entry)]));
}

function readEntry(id: string, entry: unknown): NetworkSettings {
  if (!/^(0|[1-9][0-9]{0,19})$/.test(id)) refuseSetting(FORM);
  const early =
    entry && typeof entry === 'object' ? NOT_HONOURED.find((member) => member in entry) : undefined;
  if (early) refuseSetting(`NETWORKS_FILE: ${early} of network ${id} is not honoured yet; remove it`);
  const parsed = entrySchema.safeParse(entry);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const member = issue?.path[0];
  if (member === undefined) refuseSetting(`${FORM}; network ${id} has something else`);
  const form = issue?.code === 'invalid_type' ? 'a text' : issue?.message;
  return refuseSetting(`NETWORKS_FILE: ${String(member)} of network ${id} should be ${form}`);
}

function parseJson(path: string, readText: (path: string) => string): unknown {
  try {
    return JSON.parse(readText(path));
  } catch {
    // The parser's message quotes the file, which may be a secret named by mistake.
    return undefined;
  }
}

/** A link that a browser will follow: https only, and the placeholder outside of the host. */
function isTemplate(text: string, placeholder: '{hash}' | '{address}'): boolean {
  return /^https:\/\/[^\s{}/]+\/\S*$/.test(text) && isExplorerTemplate(text, placeholder);
}
