/** Of the element that stays when another page is shown in it. */
export const CONTENT_ID = 'content';

/** For keys that lead to another page: the focus is where that page begins, and is not lost with what had it before. */
export function focusContent(page: Document): void {
  page.getElementById(CONTENT_ID)?.focus({ preventScroll: true });
}
