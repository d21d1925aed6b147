/** Visible from other tabs. */
type Marks = {
  /** Stuck requests as the badge of the navigation counts them. */
  stuck: number;
  /** Alerts or watches have changed while the tab was hidden. */
  hasUnseen: boolean;
};

const MARKED = /^(● )?(\(\d+\) )?/;

/** A title such as `● (41) Pending`. Earlier marks are replaced. */
export function markedTitle(title: string, { stuck, hasUnseen }: Marks): string {
  return `${hasUnseen ? '● ' : ''}${stuck > 0 ? `(${stuck}) ` : ''}${title.replace(MARKED, '')}`;
}

let marks: Marks = { stuck: 0, hasUnseen: false };
let observer: MutationObserver | undefined;

function draw(): void {
  const title = markedTitle(document.title, marks);
  // An equal title is not set again, because the observer would fire endlessly.
  if (document.title !== title) document.title = title;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const path = marks.stuck > 0 ? '/icon-alert.svg' : '/icon.svg';
  if (icon !== null && icon.getAttribute('href') !== path) icon.setAttribute('href', path);
}

/** Marks the title. When a page sets another one, that is marked again. */
export function markPage(change: Partial<Marks>): void {
  marks = { ...marks, ...change };
  draw();
  if (observer !== undefined) return;
  observer = new MutationObserver(draw);
  observer.observe(document.head, { childList: true, subtree: true, characterData: true });
}
