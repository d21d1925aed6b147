import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FeedUpdate } from '@/lib/core/feed';
import { builtInFeeds } from '@/lib/core/registry';
import { type RunningSandbox, SANDBOX_KEY, startSandbox } from '@/sandbox/start';
import { checkUpdate } from './check';
import { comparePayloadWithParsed, feedIdsOf, isDifferent, parsedFormVerdict } from './compare';
import type { DecodedUpdate } from './decode';
import { type Inspection, inspectAnswer } from './inspect';

let sandbox: RunningSandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, seed: 1, records: 100 });
});

afterAll(() => sandbox.close());

const feeds = builtInFeeds()
  .slice(0, 20)
  .map(({ id }) => id);

async function inspectRoute(host: 'updates' | 'upgraded', rest: string): Promise<Inspection> {
  const address = `${sandbox.addresses[host]}${rest}`;
  const answer = await fetch(address, { headers: { authorization: `Bearer ${SANDBOX_KEY}` } });
  const inspection = inspectAnswer(await answer.text());
  if (!inspection.ok) throw new Error(inspection.failure.detail);
  return inspection.value;
}

async function control(path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await fetch(sandbox.addresses.control + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

function updatesOf({ payloads }: Inspection): DecodedUpdate[] {
  return payloads.map((payload) => {
    if (payload.kind !== 'update') throw new Error(JSON.stringify(payload));
    return payload;
  });
}

const ids = feeds.map((id) => `ids[]=${id}`).join('&');

describe.each([
  { host: 'updates', moment: 'latest', encoding: 'hex' },
  { host: 'updates', moment: '1767614400', encoding: 'base64' },
  { host: 'upgraded', moment: 'latest', encoding: 'base64' },
  { host: 'upgraded', moment: '1767614400', encoding: 'hex' },
] as const)('$host, $moment, $encoding', ({ host, moment, encoding }) => {
  it('is read, verified, and equal to its parsed form to the digit', async () => {
    const inspection = await inspectRoute(
      host,
      `/v2/updates/price/${moment}?${ids}&encoding=${encoding}&parsed=true`,
    );
    const updates = updatesOf(inspection);
    const { parsed = [] } = inspection;
    expect(parsed).toHaveLength(feeds.length);
    expect([...feedIdsOf(updates)].sort()).toEqual(parsed.map(({ id }) => id as string).sort());
    for (const update of updates) {
      const check = checkUpdate(update);
      expect(check.proofs.every(Boolean)).toBe(true);
      expect(check.generation).toBe('upgraded');
      for (const comparison of comparePayloadWithParsed(update, parsed)) {
        expect(comparison.verdict).toBe('same');
      }
    }
  });
});

describe('the deprecated route and the time before the upgrade', () => {
  it('returns a payload that agrees with its parsed form, which has no slot', async () => {
    const inspection = await inspectRoute(
      'updates',
      `/api/get_price_feed?id=${feeds[0]}&publish_time=1767614400&binary=true`,
    );
    const [update] = updatesOf(inspection);
    if (update === undefined) throw new Error('no payload');
    expect(comparePayloadWithParsed(update, inspection.parsed ?? [])).toMatchObject([{ verdict: 'partly' }]);
  });

  it('is recognised by 13 signatures', async () => {
    await control('/generation', { generation: 'before' });
    const [update] = updatesOf(await inspectRoute('updates', `/v2/updates/price/latest?ids[]=${feeds[0]}`));
    if (update === undefined) throw new Error('no payload');
    expect(checkUpdate(update).generation).toBe('before-upgrade');
    const [other] = updatesOf(await inspectRoute('upgraded', `/v2/updates/price/latest?ids[]=${feeds[0]}`));
    expect(other === undefined ? '' : checkUpdate(other).generation).toBe('upgraded');
  });
});

describe('a parsed form that', () => {
  async function twoUpdates() {
    const inspection = await inspectRoute(
      'updates',
      `/v2/updates/price/latest?ids[]=${feeds[0]}&ids[]=${feeds[1]}`,
    );
    const [update] = updatesOf(inspection);
    const [first, second] = inspection.parsed ?? [];
    if (update === undefined || first === undefined || second === undefined) throw new Error('no update');
    return { update, first, second };
  }

  it('differs in a member is marked there, and a missing member is no difference', async () => {
    const { update, first } = await twoUpdates();
    const { slot: _, ...withoutSlot } = first;
    const other = { ...withoutSlot, conf: { ...first.conf, mantissa: first.conf.mantissa + 1n } };
    const comparisons = comparePayloadWithParsed(update, [other]);
    const [compared, unmatched] = comparisons;
    expect(compared?.verdict).toBe('differs');
    expect(compared?.members.filter(isDifferent).map(({ member }) => member)).toEqual(['Confidence']);
    expect(compared?.members.find(({ member }) => member === 'Slot')?.inParsed).toBeUndefined();
    expect(unmatched?.verdict).toBe('unmatched');
    expect(parsedFormVerdict(comparisons)).toEqual({
      tone: 'bad',
      title: '0 of 2 messages equal',
      text: '1 differs, 1 not in the parsed form.',
    });
  });

  it('lacks members is not called equal', async () => {
    const { update, first, second } = await twoUpdates();
    const bare = ({ id, price, conf, publishTime }: FeedUpdate) => ({ id, price, conf, publishTime });
    const verdictOf = (...parsed: FeedUpdate[]) =>
      parsedFormVerdict(comparePayloadWithParsed(update, parsed));
    expect(verdictOf(bare(first), second)).toEqual({
      tone: 'warn',
      title: 'Equal in 14 of 20 members',
      text: '6 are not in the parsed form.',
    });
    expect(verdictOf(bare(first))).toMatchObject({
      tone: 'warn',
      title: '0 of 2 messages equal',
      text: '1 equal in part, 1 not in the parsed form.',
    });
    expect(verdictOf(first, second)).toMatchObject({ tone: 'good', title: 'Equal' });
  });
});
