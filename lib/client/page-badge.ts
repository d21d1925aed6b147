import { TitleBadge } from './watch-title';

let ofPage: TitleBadge | undefined;

/** The one count in the title of this tab: whatever happens unseen is added to it. In the browser only. */
export function pageBadge(): TitleBadge {
  ofPage ??= new TitleBadge({
    read: () => document.title,
    write: (title) => {
      document.title = title;
    },
    isLookedAt,
  });
  return ofPage;
}

/** Whether somebody looks at this tab. */
export function isLookedAt(): boolean {
  return !document.hidden && document.hasFocus();
}
