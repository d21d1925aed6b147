import type { BodyCheck } from './http-service';
import { isParsable } from './json-bounds';

export type JsonBody = { ok: true; value: unknown; text: string } | { ok: false; problem: string };

/**
 * Parses a body to look at its form. The value is only good for that: JSON.parse rounds long integers, so what
 * is passed on or shown comes from `text`, which is the body without a byte order mark.
 */
export function parseJsonBody(body: string): JsonBody {
  const text = body.charCodeAt(0) === 0xfeff ? body.slice(1) : body;
  if (!isParsable(text))
    return { ok: false, problem: 'it has more values, or is nested deeper, than we read' };
  try {
    return { ok: true, value: JSON.parse(text), text };
  } catch {
    return { ok: false, problem: problemOf(text) };
  }
}

/** A check that the body is JSON of a form. `problem` says what it is when it is not of that form. */
export function jsonBodyCheck(isOfForm: (value: unknown) => boolean, problem: string): BodyCheck {
  return (body) => {
    const json = parseJsonBody(body);
    if (!json.ok) return json;
    return isOfForm(json.value) ? { ok: true, text: json.text } : { ok: false, problem };
  };
}

/** True for a JSON object: not null, not a list. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function problemOf(text: string): string {
  if (/^\s*$/.test(text)) return 'it is empty';
  if (/^\s*</.test(text)) return 'it is a web page, not JSON. Check the URL of the service';
  return /^\s*[[{]/.test(text) ? 'its JSON is damaged or was cut off' : 'it is not JSON';
}
