/**
 * A choice that runs ahead of the URL, of several values or of whatever makes one JSON text: the next tick must not be counted from a URL that has not followed yet.
 * `sent`: the choices that were handed over and may still come back as the URL's, oldest first.
 */
export type ChoiceDraft<T = readonly string[]> = { values: T; seen: string; sent: readonly string[] };

const keyOf = (values: unknown) => JSON.stringify(values);

export function choiceDraftOf<T>(values: T): ChoiceDraft<T> {
  return { values, seen: keyOf(values), sent: [] };
}

/** The draft after a choice was handed over. */
export function sentDraft<T>(draft: ChoiceDraft<T>, values: T): ChoiceDraft<T> {
  return { ...draft, values, sent: [...draft.sent, keyOf(values)] };
}

/**
 * The draft that belongs to the URL's choice. The echo of what was handed over changes nothing, as more may have been
 * ticked since; when somebody else changed it (Back, another control) the draft follows.
 */
export function reconciledChoice<T>(draft: ChoiceDraft<T>, chosen: T): ChoiceDraft<T> {
  const key = keyOf(chosen);
  if (key === draft.seen) return draft;
  const echo = draft.sent.indexOf(key);
  return echo < 0 ? choiceDraftOf(chosen) : { ...draft, seen: key, sent: draft.sent.slice(echo + 1) };
}
