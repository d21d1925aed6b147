import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { isParsable } from '@/lib/core/wire-json';
import type { CheckedBody, HttpAnswer, HttpService } from './http-service';

/** `value` is only for checking the structure, because JSON.parse rounds numbers. `text` has no byte order mark. */
export function parseJsonBody(
  body: string,
): { ok: true; value: unknown; text: string } | { ok: false; problem: string } {
  const text = body.charCodeAt(0) === 0xfeff ? body.slice(1) : body;
  if (text.length > MAX_UNCHECKED_CHARACTERS && !isParsable(text))
    return { ok: false, problem: 'it has too many values, or is nested too deep' };
  try {
    return { ok: true, value: JSON.parse(text), text };
  } catch {
    return { ok: false, problem: problemOf(text) };
  }
}

export function jsonBodyCheck(isValid: (value: unknown) => boolean, problem: string) {
  return (body: string): CheckedBody => {
    const json = parseJsonBody(body);
    if (!json.ok) return json;
    return isValid(json.value) ? { ok: true, text: json.text } : { ok: false, problem };
  };
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function problemOf(text: string): string {
  if (/^\s*$/.test(text)) return 'it is empty';
  if (/^\s*</.test(text)) return 'it is a web page, not JSON. Check the URL of the service';
  return /^\s*[[{]/.test(text) ? 'its JSON is damaged or was cut off' : 'it is not JSON';
}

/** Length below which JSON never costs much more memory than its size. A thousand log rows are shorter. */
const MAX_UNCHECKED_CHARACTERS = 1_000_000;

export function answerText(answer: Outcome<HttpAnswer>): Outcome<string> {
  return answer.ok ? ok(answer.value.text) : answer;
}

/** The value is read once for all callers that share the call, so it must not be changed. */
export function textAndValueCalls<A extends unknown[], T>(
  { options: { service } }: HttpService,
  call: (...args: A) => Promise<Outcome<HttpAnswer>>,
  read: (text: string) => Outcome<T>,
) {
  const cache = new WeakMap<HttpAnswer, Outcome<T>>();
  return [
    async (...args: A): Promise<Outcome<string>> => answerText(await call(...args)),
    async (...args: A): Promise<Outcome<T>> => {
      const answer = await call(...args);
      if (!answer.ok) return answer;
      const cached = cache.get(answer.value);
      if (cached) return cached;
      const value = read(answer.value.text);
      const named = value.ok ? value : failed<T>({ ...value.failure, service });
      cache.set(answer.value, named);
      return named;
    },
  ] as const;
}
