/**
 * What stands in the search field, which runs ahead of the URL. `seen`: the URL's search when the draft last agreed
 * with it. `sent`: what was last handed over to become the URL's.
 */
export type SearchDraft = { text: string; seen: string; sent: string };

export function draftOf(q: string): SearchDraft {
  return { text: q, seen: q, sent: q };
}

/**
 * The draft that belongs to the URL's search `q`. When somebody else changed it (Back, another control) the field
 * follows; the echo of what was typed here changes nothing, as more may have been typed since.
 */
export function reconciledDraft(draft: SearchDraft, q: string): SearchDraft {
  if (q === draft.seen) return draft;
  return q === draft.sent ? { ...draft, seen: q } : draftOf(q);
}
