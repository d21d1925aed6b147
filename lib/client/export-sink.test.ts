import { describe, expect, it } from 'vitest';
import { blobSink, chooseSink, fileSink, incompleteName } from './export-sink';

describe('the place for an export', () => {
  const saved: [number, string][] = [];
  const save = (file: Blob, name: string) => saved.push([file.size, name]);
  const aborted = () => Promise.reject(new DOMException('no', 'AbortError'));

  it('is the browser’s download, whole or named incomplete', async () => {
    const blob = blobSink('requests.csv', 'text/csv', save);
    const chunk = new Uint8Array(5_000_000);
    await blob.write(chunk);
    await blob.write(chunk);
    await blob.write(new Uint8Array(7));
    expect(await blob.finish('incomplete')).toBe('requests-incomplete.csv');
    expect(saved.pop()).toEqual([10_000_007, 'requests-incomplete.csv']);
    expect(incompleteName('a.b.json')).toBe('a.b-incomplete.json');
  });

  it('is a chosen file for large ones, written as it comes and given up when cancelled', async () => {
    const done: string[] = [];
    const file = {
      name: 'mine.csv',
      createWritable: async () => ({
        write: async () => void done.push('write'),
        close: async () => void done.push('close'),
        abort: async () => void done.push('abort'),
      }),
    };
    const picked = await chooseSink('r.csv', 'text/csv', 50_000, {
      picker: async () => file,
      save,
      now: () => 0,
    });
    await picked?.write(new Uint8Array(1));
    expect(await picked?.finish('complete')).toBe('mine.csv');
    await (await fileSink(file)).discard();
    expect(done).toEqual(['write', 'close', 'abort']);
  });

  it('is none when the person closes the dialog, and the download where no dialog can be shown', async () => {
    let now = 0;
    const slow = () => {
      now += 1000;
      return now;
    };
    expect(await chooseSink('r.csv', '', 60_000, { picker: aborted, save, now: slow })).toBeUndefined();
    expect(await chooseSink('r.csv', '', 60_000, { picker: aborted, save, now: () => 0 })).toBeDefined();
    expect(await chooseSink('r.csv', '', 10, { picker: aborted, save, now: slow })).toBeDefined();
  });
});
