/** The browser requests parts that take longer, so a busy index delays no page. */
const MAX_WAIT_MS = 800;

/** The answer; undefined if it fails or takes too long. */
export function answerInTime<T>(answer: Promise<T>): Promise<T | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, MAX_WAIT_MS));
  return Promise.race([answer.catch(() => undefined), late]);
}
