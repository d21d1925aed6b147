const RETRY_MS = 50;
/** Time after which a click would surprise the user. */
const MAX_WAIT_MS = 60_000;

let waiting: ReturnType<typeof setTimeout> | undefined;

/** Stops waiting for a button. */
export const cancelPress = () => clearTimeout(waiting);

/**
 * Clicks a button of a page once that page is shown and the button exists and is enabled, within a minute. It gives up
 * if the user goes to another page, or at the next call.
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
