import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readSettings } from './settings';

/** Whether or not the names are set. */
function namesRead(env: Record<string, string>): string[] {
  const names = new Set<string>();
  const recording = new Proxy<Record<string, string>>(env, {
    get: (target, name) => {
      names.add(String(name));
      return target[String(name)];
    },
  });
  readSettings(recording);
  return [...names];
}

const SECRET = 'a-secret-of-more-than-thirty-two-characters';
const ENVIRONMENTS: Record<string, string>[] = [
  {},
  { ACCESS: 'password', DASHBOARD_PASSWORD: SECRET, SESSION_SECRET: SECRET },
  { ACCESS: 'proxy', PROXY_SECRET: SECRET },
  {
    LOGS_URL: 'https://logs.example.com',
    UPDATES_URL: 'https://a.example',
    ROUTER_URL: 'https://b.example',
  },
];
const READ = new Set(
  ENVIRONMENTS.flatMap(namesRead).map((name) =>
    name.replace(/^(LOGS_API_KEY)_.*/, '$1').replace(/(?<!NETWORKS)_FILE$/, ''),
  ),
);
const EXAMPLE = readFileSync('.env.example', 'utf8');
const EXAMPLES = [...EXAMPLE.matchAll(/^#([A-Z][A-Z_]*)=(.*)$/gm)].map(([, name = '', value = '']) => ({
  name: name.replace(/^(LOGS_API_KEY)_.*/, '$1'),
  value,
}));

it('has each setting in .env.example, and no other', () => {
  expect([...new Set(EXAMPLES.map(({ name }) => name))].sort()).toEqual([...READ].sort());
});

it('has each setting in the table of the README, and no other', () => {
  const rows = readFileSync('README.md', 'utf8').match(/^\| `[A-Z].*$/gm) ?? [];
  const named = rows.flatMap((row) =>
    [...row.matchAll(/`([A-Z]+(?:_[A-Z]+)+|[A-Z]{4,})`/g)].map(([, name]) => name),
  );
  expect([...new Set(named)].sort()).toEqual([...READ].sort());
});

it.each([
  'HOST',
  'PORT',
  'LOGS_CALLS_PER_S',
  'UPDATES_CALLS_PER_S',
  'ROUTER_CALLS_PER_S',
  'DATA_DIR',
  'HISTORY_DAYS',
  'STORE_MEMORY_MB',
])('shows %s in .env.example with the value that it has where nothing is set', (name) => {
  const value = EXAMPLES.find((example) => example.name === name)?.value ?? '';
  const plain = (settings: object) =>
    JSON.stringify(settings, (_key, member) => (member instanceof Set ? [...member] : member));
  expect(plain(readSettings({ [name]: value }))).toBe(plain(readSettings({})));
});
