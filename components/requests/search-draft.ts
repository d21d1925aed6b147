/** What stands in the search field. `sent`: the search of the address when the draft last agreed with it or set it. */
export type SearchDraft = { text: string; sent: string };

export function draftOf(q: string): SearchDraft {
  return { text: q, sent: q };
}

/**
 * The draft that belongs to the search `q` of the address. When somebody else changed it (Back, another control) the
 * field follows; what was sent from here changes nothing, as more may have been typed since.
 */
export function reconciledDraft(draft: SearchDraft, q: string): SearchDraft {
  return q === draft.sent ? draft : draftOf(q);
}
