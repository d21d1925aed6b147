import { Agent, get } from 'node:http';

/** Time over a kept connection to the last byte of the answer, ms. */
function timeRequest(agent: Agent, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    get(url, { agent }, (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - started);
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
      response.once('error', reject);
    }).once('error', reject);
  });
}

/** `urlOf` should return distinct addresses, so that none is cached. */
export async function load(
  count: number,
  connections: number,
  urlOf: (n: number) => string,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) times.push(await timeRequest(agent, urlOf(next++)));
  };
  await Promise.all(Array.from({ length: connections }, worker));
  agent.destroy();
  return times;
}

export const median = (numbers: number[]) => percentile(numbers, 0.5);

export async function medianOf(runs: number, run: (n: number) => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let n = 0; n < runs; n++) values.push(await run(n));
  return median(values);
}

/** Ms of sequential runs. */
export const medianMs = (runs: number, run: (n: number) => Promise<unknown>): Promise<number> =>
  medianOf(runs, async (n) => {
    const begunMs = performance.now();
    await run(n);
    return performance.now() - begunMs;
  });

/** Value below which the `share` of the numbers lies. */
export function percentile(numbers: number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
