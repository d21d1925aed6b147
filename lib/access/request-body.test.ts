import { expect, it } from 'vitest';
import { readBody } from './request-body';

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let index = 0; index < bytes.length; index += size) yield bytes.subarray(index, index + size);
}

const TEXT = `{"password":"${'é'.repeat(20_000)}"}`;
const LENGTH = String(new TextEncoder().encode(TEXT).length);

it.each([1, 7, 100_000])('assembles a body from pieces of %i bytes', async (size) => {
  for (const contentLength of [LENGTH, '3', null]) {
    const headers = new Headers(contentLength === null ? {} : { 'content-length': contentLength });
    const read = await readBody('sign-in', 'somebody', { body: pieces(TEXT, size), headers });
    expect(read).toEqual({ ok: true, value: TEXT });
  }
});

it('stops reading at the limit of its kind, whatever length was announced', async () => {
  let received = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      received += 1000;
      yield new Uint8Array(1000);
    }
  }
  const read = await readBody('sign-in', 'somebody', {
    body: endless(),
    headers: new Headers({ 'content-length': '10' }),
  });
  expect(read).toMatchObject({ ok: false, failure: { kind: 'bad-request' } });
  expect(received).toBe(66_000);
});
