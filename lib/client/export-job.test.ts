import { describe, expect, it } from 'vitest';
import { ExportJob } from './export-job';

describe('the export of a page', () => {
  it('is one at a time, can be cancelled, and its end is taken note of', async () => {
    const job = new ExportJob();
    const states: string[] = [];
    job.subscribe(() => states.push(job.current().kind));
    const first = job.start('csv', (onProgress, signal) => {
      onProgress({ rows: 1, bytes: 2, expected: 3, pace: 'starting' });
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }));
      });
    });
    await job.start('json', () => Promise.reject(new Error('two at a time')));
    expect(job.current()).toMatchObject({ kind: 'running', format: 'csv', progress: { rows: 1 } });
    job.cancel();
    await first;
    expect(job.current()).toEqual({ kind: 'none' });
    await job.start('json', async () => ({ kind: 'failed', failure: { kind: 'timeout', detail: '' } }));
    expect(job.current().kind).toBe('ended');
    job.clear();
    expect(states).toEqual(['running', 'running', 'none', 'running', 'ended', 'none']);
  });
});
