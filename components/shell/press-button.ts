const RETRY_MS = 50;
/** Later than this a click would surprise. */
const MAX_WAIT_MS = 60_000;

let waiting: ReturnType<typeof setTimeout> | undefined;

/** Forgets a button that is still waited for. */
export const cancelPress = () => clearTimeout(waiting);

/**
 * Clicks a button of a page once that page is shown and the button exists and is enabled, for a minute at most. Ends
 * without a click where the user goes to another page, or with the next call.
 */
export function pressButton(name: string, path: string): void {
  cancelPress();
  const untilMs = performance.now() + MAX_WAIT_MS;
  let expected = window.location.pathname;
  const attempt = () => {
    const { pathname } = window.location;
    if (pathname === path) expected = path;
    if (pathname !== expected) return;
    const buttons = [...document.querySelectorAll<HTMLButtonElement>('main button:enabled')];
    const button = buttons.find(
      (candidate) => (candidate.getAttribute('aria-label') ?? candidate.textContent).trim() === name,
    );
    if (pathname === path && button !== undefined) button.click();
    else if (performance.now() < untilMs) waiting = setTimeout(attempt, RETRY_MS);
  };
  attempt();
}
