const RETRY_MS = 50;
/** Longest wait for the button. Later, a click would surprise the user. */
const MAX_WAIT_MS = 60_000;

let waiting: ReturnType<typeof setTimeout> | undefined;

export const cancelPress = () => clearTimeout(waiting);

/** Clicks once the page is shown and the button is enabled. Gives up if the user leaves, or at the next call. */
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
