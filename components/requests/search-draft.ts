/**
 * What stands in the search field, which runs ahead of the URL. `seen`: the URL's search when the draft last agreed
 * with it. `sent`: what was handed over since and may still come back as the URL's, oldest first.
 */
export type SearchDraft = { text: string; seen: string; sent: readonly string[] };

export function draftOf(q: string): SearchDraft {
  return { text: q, seen: q, sent: [] };
}

/** The draft after `q` was handed over to become the URL's. */
export function sentDraft(draft: SearchDraft, q: string): SearchDraft {
  return { ...draft, sent: [...draft.sent, q] };
}

/** What the URL will say once it has followed. */
export function lastSent({ seen, sent }: SearchDraft): string {
  return sent.at(-1) ?? seen;
}

/**
 * The draft that belongs to the URL's search `q`. When somebody else changed it (Back, another control) the field
 * follows; the echo of what was typed here changes nothing, as more may have been typed since.
 */
export function reconciledDraft(draft: SearchDraft, q: string): SearchDraft {
  if (q === draft.seen) return draft;
  const echo = draft.sent.indexOf(q);
  return echo < 0 ? draftOf(q) : { ...draft, seen: q, sent: draft.sent.slice(echo + 1) };
}
