import { describe, expect, it } from 'vitest';
import { copyLoaded } from './hand-over';

const paper = async () => ({ ok: true, text: '## Base' }) as const;

describe('copying a paper that has to be fetched', () => {
  it('copies it', async () => {
    const written: string[] = [];
    const place = { writeText: async (text: string) => void written.push(text) };
    expect(await copyLoaded(paper, place)).toEqual({ kind: 'copied' });
    expect(written).toEqual(['## Base']);
  });

  it('gives the text to be copied by hand where the browser refuses, or has no clipboard', async () => {
    const refuses = { writeText: () => Promise.reject(new Error('not allowed')) };
    expect(await copyLoaded(paper, refuses)).toEqual({ kind: 'by-hand', text: '## Base' });
    expect(await copyLoaded(paper, undefined)).toEqual({ kind: 'by-hand', text: '## Base' });
  });

  it('says why there is nothing to copy', async () => {
    const none = async () => ({ ok: false, why: 'It is over' }) as const;
    expect(await copyLoaded(none, undefined)).toEqual({ kind: 'none', why: 'It is over' });
  });
});
