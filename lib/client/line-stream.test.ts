import { describe, expect, it, vi } from 'vitest';
import { fetchLines } from './line-stream';

const never = () => new AbortController().signal;

const text = new TextEncoder();

async function linesOf(pieces: string[]): Promise<string[]> {
  const all: string[] = [];
  const answer: typeof fetch = async () =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const piece of pieces) controller.enqueue(text.encode(piece));
          controller.close();
        },
      }),
    );
  const ended = await fetchLines('/x', {
    signal: never(),
    onLines: (lines) => all.push(...lines),
    fetch: answer,
  });
  expect(ended).toEqual({ ok: true, value: 'ended' });
  return all;
}

describe('lines', () => {
  it('are put together from pieces of any size', async () => {
    const lines = '{"a":"ä"}\n\n{"b":2}\n{"c":3}';
    for (let size = 1; size <= lines.length; size += 1) {
      const pieces = Array.from({ length: Math.ceil(lines.length / size) }, (_, n) =>
        lines.slice(n * size, (n + 1) * size),
      );
      expect(await linesOf(pieces)).toEqual(['{"a":"ä"}', '{"b":2}', '{"c":3}']);
    }
  });

  it('of a refusal are its problem', async () => {
    const problem = '{"kind":"unconfigured","service":"logs","detail":"no URL"}';
    const refusing: typeof fetch = async () => new Response(problem, { status: 503 });
    const onLines = vi.fn();
    const ended = await fetchLines('/x', { signal: never(), onLines, fetch: refusing });
    expect(ended).toEqual({
      ok: false,
      failure: { kind: 'unconfigured', service: 'logs', detail: 'no URL' },
    });
    expect(onLines).not.toHaveBeenCalled();
  });

  it('that never end are given up, and nothing more is read', async () => {
    const cancel = vi.fn();
    const pull = (controller: ReadableStreamDefaultController) =>
      controller.enqueue(text.encode('x'.repeat(9999)));
    const endless: typeof fetch = async () => new Response(new ReadableStream({ pull, cancel }));
    const ended = await fetchLines('/x', { signal: never(), onLines: vi.fn(), fetch: endless });
    expect(ended).toMatchObject({ ok: false, failure: { kind: 'unreachable' } });
    await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce());
  });
});

describe('without an answer', () => {
  const broken: typeof fetch = async () => {
    throw new TypeError('fetch failed');
  };

  it('there is no connection', async () => {
    const ended = await fetchLines('/x', { signal: never(), onLines: vi.fn(), fetch: broken });
    expect(ended).toEqual({ ok: false, failure: { kind: 'unreachable', detail: 'No connection.' } });
  });

  it('it rejects when nobody waits any more', async () => {
    const asked = { signal: AbortSignal.abort(), onLines: vi.fn(), fetch: broken };
    await expect(fetchLines('/x', asked)).rejects.toThrow('fetch failed');
  });
});
