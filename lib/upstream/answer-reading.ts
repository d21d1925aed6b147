import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import type { Sighting } from '@/lib/domain/schema-surprises';
import type { HttpAnswer, HttpService } from './http-service';
import { realTimers, type Timers } from './timers';

/** The text of an answer, as it may be passed on. */
export function textOf(answer: Outcome<HttpAnswer>): Outcome<string> {
  return answer.ok ? ok(answer.value.text) : answer;
}

type AnswerReader<T> = (answer: Outcome<HttpAnswer>) => Outcome<T>;

/**
 * Reads answers into domain values, each answer once: callers that shared a call get the same value, so it must
 * not be changed. A failure of the reader is given the service's name. What `sightings` finds in a value is noted with
 * the service.
 */
export function answerReader<T>(
  http: HttpService,
  read: (text: string) => Outcome<T>,
  sightings: (value: T) => Iterable<Sighting>,
): AnswerReader<T> {
  const known = new WeakMap<HttpAnswer, Outcome<T>>();
  return (answer) => {
    if (!answer.ok) return answer;
    const before = known.get(answer.value);
    if (before) return before;
    const value = named(read(answer.value.text), http);
    known.set(answer.value, value);
    if (value.ok) http.surprises.note(sightings(value.value));
    return value;
  };
}

/** Texts that are only passed on are read as well so seldom, and up to so many characters, for the sake of surprises. */
const LOOK_EVERY_MS = 1000;
const MOST_LOOKED_AT = 1_000_000;

/** As `textOf`; now and then such a text is read too, so that surprises in what programs and pages ask for are seen. */
export function watchedTextOf(read: AnswerReader<unknown>, timers: Timers = realTimers): typeof textOf {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return (answer) => {
    if (answer.ok && answer.value.text.length <= MOST_LOOKED_AT) {
      if (timers.elapsed() - lookedAt >= LOOK_EVERY_MS) {
        lookedAt = timers.elapsed();
        read(answer);
      }
    }
    return textOf(answer);
  };
}

function named<T>(value: Outcome<T>, http: HttpService): Outcome<T> {
  return value.ok ? value : failed({ ...value.failure, service: http.identity.service });
}
