/** Spread on what scrolls: without a place for the focus, nobody could scroll it without a pointer. */
export const SCROLLED_BY_KEYS = { tabIndex: 0 } as const;
