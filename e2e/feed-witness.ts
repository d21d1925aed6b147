import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';

/** A slot has at most one update of a feed. */
export type Tick = { publishS: number; slot: string; origin: string };

export type Witness = {
  /** Oldest first. */
  ticks(): readonly Tick[];
  end(): void;
};

/** Records every published update through the second host, which faults of the first one do not reach. */
export async function witnessOf(sandbox: string, id: string): Promise<Witness> {
  const gone = new AbortController();
  const ticks: Tick[] = [];
  const answer = await fetch(`${sandbox}/upgraded/hermes/v2/updates/price/stream?ids[]=${id}`, {
    headers: { authorization: 'Bearer sandbox-key' },
    signal: gone.signal,
  });
  if (!answer.ok || answer.body === null) throw new Error(`no witness: ${answer.status}`);
  const read = async (body: AsyncIterable<Uint8Array>) => {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of body) {
      const events = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) if (event.startsWith('data:')) ticks.push(tickOf(event.slice(5)));
    }
  };
  read(answer.body as unknown as AsyncIterable<Uint8Array>).catch(() => {});
  return { ticks: () => ticks, end: () => gone.abort() };
}

function tickOf(text: string): Tick {
  const [update] = JSON.parse(text).parsed;
  return {
    publishS: update.price.publish_time,
    slot: String(update.metadata.slot),
    origin: 'published',
  };
}

/** Oldest first, from the CSV download of a feed's page. */
export async function shownTicks(page: Page): Promise<Tick[]> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV', exact: true }).click();
  const [header = '', ...lines] = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
  const names = header.split(',');
  const cell = (line: string, name: string) => line.split(',')[names.indexOf(name)] ?? '';
  return lines.map((line) => ({
    publishS: Number(cell(line, 'publish_time_s')),
    slot: cell(line, 'slot'),
    origin: cell(line, 'origin'),
  }));
}

/** Oldest first. */
export async function bufferedTicks(origin: string, id: string, fromS: number): Promise<Tick[]> {
  const answer = await fetch(`${origin}/api/view/feeds/history?ids=${id}&from=${fromS}`);
  const [feed] = (await answer.json()).feeds;
  return feed.updates.map(({ t, s, f }: { t: number; s: string; f?: 1 }) => ({
    publishS: t,
    slot: s,
    origin: f === undefined ? 'live' : 'filled',
  }));
}

export function firstOfSeconds(ticks: readonly Tick[]): Tick[] {
  return ticks.filter(({ publishS }, at) => ticks[at - 1]?.publishS !== publishS);
}

export function missingSlots(wanted: readonly Tick[], others: readonly Tick[]): string[] {
  const slots = new Set(others.map(({ slot }) => slot));
  return wanted.filter(({ slot }) => !slots.has(slot)).map(({ publishS, slot }) => `${publishS} ${slot}`);
}
