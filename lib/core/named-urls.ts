import * as z from 'zod/mini';
import { MAX_ADDRESS } from './address-limit';
import { tryParseJson } from './text';

/** A saved view or board of this browser. The address is relative to our host. */
export type NamedUrl = { readonly name: string; readonly url: string };

const MAX_NAMED_URLS = 50;
export const MAX_NAME_LENGTH = 60;
export type NamedChange = { list?: readonly NamedUrl[]; problem?: string };

const NO_NAME: NamedChange = { problem: `Use 1 to ${MAX_NAME_LENGTH} characters` };

/** Undefined if the name is empty or too long. */
export function normalizeName(text: string): string | undefined {
  const name = text.trim().replaceAll(/\s+/g, ' ');
  return name === '' || name.length > MAX_NAME_LENGTH ? undefined : name;
}

const stored = z.object({ name: z.string(), url: z.string().check(z.maxLength(MAX_ADDRESS)) });

/**
 * Leaves out invalid entries and repeated names, which other tabs, extensions and older versions may have written.
 * @param normalizeUrl returns undefined for an invalid address
 */
export function readNamedUrls(
  text: string | null | undefined,
  normalizeUrl: (url: string) => string | undefined,
): readonly NamedUrl[] {
  const entries = tryParseJson(text);
  const named = new Map<string, NamedUrl>();
  for (const entry of Array.isArray(entries) ? entries : []) {
    const { data } = stored.safeParse(entry);
    const name = normalizeName(data?.name ?? '');
    const url = data && normalizeUrl(data.url);
    if (name === undefined || url === undefined || named.has(name) || named.size >= MAX_NAMED_URLS) continue;
    named.set(name, { name, url });
  }
  return [...named.values()];
}

/** Adds or replaces. @param what plural for messages: `views` */
export function withNamed(list: readonly NamedUrl[], text: string, url: string, what: string): NamedChange {
  const name = normalizeName(text);
  if (name === undefined) return NO_NAME;
  const index = list.findIndex((entry) => entry.name === name);
  if (index >= 0) return { list: list.with(index, { name, url }) };
  if (list.length >= MAX_NAMED_URLS)
    return { problem: `At most ${MAX_NAMED_URLS} ${what}. Delete one first` };
  return { list: [...list, { name, url }] };
}

export function withRenamed(list: readonly NamedUrl[], from: string, text: string): NamedChange {
  const name = normalizeName(text);
  if (name === undefined) return NO_NAME;
  if (name !== from && list.some((entry) => entry.name === name)) return { problem: 'Name already in use' };
  return { list: list.map((entry) => (entry.name === from ? { ...entry, name } : entry)) };
}
