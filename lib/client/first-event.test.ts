import { describe, expect, it } from 'vitest';
import { fetchFirstEvent } from './first-event';

const bytes = new TextEncoder();
const never = () => new AbortController().signal;
const stream = { path: '/x', service: 'upgraded' } as const;

/** A stream of these pieces; `open` stays open after them. */
function streaming(pieces: string[], end: 'closed' | 'open' = 'closed') {
  const seen = { signal: undefined as AbortSignal | null | undefined };
  const answer: typeof fetch = async (_, init) => {
    seen.signal = init?.signal;
    return new Response(
      new ReadableStream({
        start(controller) {
          for (const piece of pieces) controller.enqueue(bytes.encode(piece));
          if (end === 'closed') controller.close();
        },
      }),
    );
  };
  return { answer, seen };
}

describe('the first event of a stream', () => {
  it('is the data of it, cut anywhere, and closes the stream', async () => {
    const text = ':ok\r\n\r\ndata: {"a":"ä"}\r\n\r\ndata: {"b":2}\r\n\r\n';
    for (let cut = 1; cut < text.length; cut += 3) {
      const { answer, seen } = streaming([text.slice(0, cut), text.slice(cut)], 'open');
      expect(await fetchFirstEvent(stream, never(), answer)).toEqual({ ok: true, value: '{"a":"ä"}' });
      expect(seen.signal?.aborted).toBe(true);
    }
  });

  it('may be an error of the service, which then is named', async () => {
    const { answer } = streaming(['event: error\ndata: Slow consumer\n\n']);
    expect(await fetchFirstEvent(stream, never(), answer)).toEqual({
      ok: false,
      failure: { kind: 'failing', service: 'upgraded', detail: 'Slow consumer' },
    });
  });

  it('is missed when the stream ends before it', async () => {
    const { answer } = streaming([':nothing yet\n\n', 'data: {"half":']);
    expect(await fetchFirstEvent(stream, never(), answer)).toMatchObject({ failure: { kind: 'malformed' } });
  });

  it('of a stream that can’t start is the problem that our server tells', async () => {
    const problem = '{"kind":"missing","service":"updates","detail":"Price ids not found"}';
    const answer: typeof fetch = async () => new Response(problem, { status: 404 });
    expect(await fetchFirstEvent(stream, never(), answer)).toMatchObject({
      failure: { kind: 'missing', service: 'updates' },
    });
  });

  it('is waited for no longer when the page is left', async () => {
    const { answer } = streaming([], 'open');
    const leaving = new AbortController();
    const aborting: typeof fetch = async (path, init) => {
      const response = await answer(path, init);
      leaving.abort();
      throw init?.signal?.reason ?? response;
    };
    await expect(fetchFirstEvent(stream, leaving.signal, aborting)).rejects.toThrow();
  });
});
