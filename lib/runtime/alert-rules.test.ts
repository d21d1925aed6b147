import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openHub } from '@/lib/feeds/server/process-hub';
import { metrics } from '@/lib/platform/metrics';
import { readSettings } from '@/lib/platform/settings';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { resetStreams } from '@/lib/runtime/streams-fixture';
import { closeServices, startServices } from '@/lib/services/services';
import { IF_NOT_INSTALLED, isPromtoolInstalled, promtool, readExposition } from './exposition-harness';
import { replyWithMetrics } from './metrics-on-scrape';
import { watchPermanently } from './streams';

const RULES = 'docs/alerts.rules.yml';
const CASES = 'docs/alerts.test.yml';
const MANUAL = 'docs/operations.md';

const OF_HISTOGRAM = /_(?:bucket|sum|count)$/;
/** Added by Prometheus to every target. */
const NOT_OURS = ['up'];

let metricFamilies: ReadonlyMap<string, unknown>;

const rules = readFileSync(RULES, 'utf8')
  .split(/^ {6}- alert: /m)
  .slice(1)
  .map((text) => ({ name: text.split('\n')[0] ?? '', text }));

const namesIn = (text: string) => new Set(text.match(/\bkeeperscope_[a-z0-9_]+|\bup\b(?=\{)/g));

beforeAll(async () => {
  const settings = readSettings({ SANDBOX_PORT: '0', SANDBOX_RECORDS: '0', LOG_LEVEL: 'silent' });
  replaceSettings(settings);
  await startServices(settings);
  watchPermanently([]);
  expect(openHub()).toBeDefined();
  await replyWithMetrics(new Request('http://localhost/api/metrics'));
  metricFamilies = (await readExposition(metrics().registry)).families;
}, 60_000);
afterAll(async () => {
  resetStreams();
  await closeServices();
  replaceSettings(undefined);
});

it('every rule names metrics that exist, waits, has a severity, and says what to do', () => {
  expect(rules.length).toBeGreaterThan(8);
  for (const { name, text } of rules) {
    const named = [...namesIn(text.split('annotations:')[0] ?? '')];
    expect(named.length, name).toBeGreaterThan(0);
    expect(
      named.filter((name) => !metricFamilies.has(name.replace(OF_HISTOGRAM, '')) && !NOT_OURS.includes(name)),
      name,
    ).toEqual([]);
    expect(text, name).toMatch(/^ {8}for: \d+m$/m);
    expect(text, name).toMatch(/^ {10}severity: (?:critical|warning|info)$/m);
    expect(text.match(/^ {10}summary: .{20,}$/m), name).not.toBeNull();
    expect(text.match(/^ {10}description: .{60,}$/m), name).not.toBeNull();
  }
});

it('every rule has a case that fires, and is in the manual', () => {
  const cases = readFileSync(CASES, 'utf8');
  const manual = readFileSync(MANUAL, 'utf8');
  for (const { name } of rules) {
    expect(cases, name).toContain(`'ALERTS{alertname="${name}", alertstate="firing"`);
    expect(manual, name).toContain(`\`${name}\``);
  }
});

it('the manual’s table lists each of our metrics once, and no others', () => {
  const text = readFileSync(MANUAL, 'utf8');
  const metricNames = [...text.matchAll(/^\| `(keeperscope_[a-z0-9_]+)/gm)].map(([, name = '']) => name);
  expect(metricNames.filter((name) => !metricFamilies.has(name))).toEqual([]);
  const ours = [...metricFamilies.keys()].filter((name) => !/^keeperscope_(?:nodejs|process)_/.test(name));
  expect(metricNames.toSorted()).toEqual(ours.toSorted());
});

it.skipIf(!isPromtoolInstalled)(
  `promtool accepts the rules, and each rule passes its cases${IF_NOT_INSTALLED}`,
  () => {
    expect(promtool(['check', 'rules', RULES])).toBe('');
    expect(promtool(['test', 'rules', CASES])).toBe('');
  },
);
