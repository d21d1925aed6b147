import { failed, type Outcome, ok } from '@/lib/core/outcome';
import type { HttpAnswer, HttpService } from './http-service';

/** The text of an answer, as it may be passed on. */
export function textOf(answer: Outcome<HttpAnswer>): Outcome<string> {
  return answer.ok ? ok(answer.value.text) : answer;
}

type AnswerReader<T> = (answer: Outcome<HttpAnswer>) => Outcome<T>;

/**
 * Reads answers into domain values, each answer once: callers that shared a call get the same value, so it must
 * not be changed. A failure of the reader is given the service's name.
 */
export function answerReader<T>(http: HttpService, read: (text: string) => Outcome<T>): AnswerReader<T> {
  const known = new WeakMap<HttpAnswer, Outcome<T>>();
  return (answer) => {
    if (!answer.ok) return answer;
    const before = known.get(answer.value);
    if (before) return before;
    const value = named(read(answer.value.text), http);
    known.set(answer.value, value);
    return value;
  };
}

function named<T>(value: Outcome<T>, http: HttpService): Outcome<T> {
  return value.ok ? value : failed({ ...value.failure, service: http.identity.service });
}
