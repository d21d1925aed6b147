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

export const median = (numbers: number[]) => percentile(numbers, 50);

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

/** A percentile by nearest rank: a value that occurred. `percent` goes to 100. */
export function percentile(numbers: readonly number[], percent: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)] ?? Number.NaN;
}
