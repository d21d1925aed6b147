/** What of a key press decides whether a shortcut is meant. */
export type KeyPress = {
  readonly key: string;
  /** The place on the keyboard, for layouts whose letters are not Latin ones. */
  readonly code: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  /** AltGr, by which many layouts write `[` and `]`; it may come with Ctrl and Alt. */
  readonly altGraph: boolean;
  /** Where the focus is. */
  readonly focus: 'field' | 'control' | 'elsewhere';
  /** Whether a modal dialog is open. */
  readonly over: 'dialog' | 'page';
};

/** The second key of `g r` has to follow within this time. */
export const SEQUENCE_MS = 1500;

/**
 * The key as shortcuts name it: a letter in lower case, another character as it is written, or a name such as `Escape`;
 * with `mod+` in front for Ctrl or Cmd. Undefined for a press that no shortcut means.
 */
export function pressedKey(press: KeyPress): string | undefined {
  const { key, shift, altGraph } = press;
  const isCharacter = [...key].length === 1;
  const mod = !altGraph && (press.ctrl || press.meta);
  if (!altGraph && press.alt) return undefined;
  const letter = letterOf(press);
  // A letter with Shift is another letter; `?` and `/` may need Shift, by layout.
  if ((letter !== undefined || !isCharacter) && shift) return undefined;
  const named = letter ?? key;
  return mod ? `mod+${named}` : named;
}

function letterOf({ key, code }: KeyPress): string | undefined {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  return /^\p{L}$/u.test(key) ? /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() : undefined;
}

/** Keys that do something on a focused button or link already. */
const CONTROL_KEYS = new Set(['Enter', ' ']);

function isFree(press: KeyPress, key: string): boolean {
  if (press.over === 'dialog') return false;
  if (key.startsWith('mod+')) return true;
  return press.focus === 'elsewhere' || (press.focus === 'control' && !CONTROL_KEYS.has(key));
}

type Handler = () => void;

/**
 * Which handler a key press calls. The same keys may be taken several times; the latest one has them. A first key that
 * only begins a sequence is held back; one that is a shortcut by itself as well goes to that.
 */
export class ShortcutMatcher {
  readonly #handlers = new Map<string, Handler[]>();
  readonly #now: () => number;
  #begun: { key: string; untilMs: number } | undefined;

  /** @param now milliseconds, of any clock that only goes forward */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes keys; gives a function that gives them back. */
  add(keys: string, handler: Handler): () => void {
    this.#handlers.set(keys, [...(this.#handlers.get(keys) ?? []), handler]);
    return () => {
      const left = (this.#handlers.get(keys) ?? []).filter((one) => one !== handler);
      if (left.length === 0) this.#handlers.delete(keys);
      else this.#handlers.set(keys, left);
    };
  }

  #latest(keys: string | undefined): Handler | undefined {
    return keys === undefined ? undefined : this.#handlers.get(keys)?.at(-1);
  }

  /** The handler to call for a press; `begins` for the first key of a sequence; undefined when it is none of ours. */
  match(press: KeyPress): Handler | 'begins' | undefined {
    const key = pressedKey(press);
    const begun = this.#begun;
    this.#begun = undefined;
    if (key === undefined || !isFree(press, key)) return undefined;
    const second = begun !== undefined && this.#now() <= begun.untilMs ? `${begun.key} ${key}` : undefined;
    const handler = this.#latest(second) ?? this.#latest(key);
    if (handler !== undefined) return handler;
    if (![...this.#handlers.keys()].some((keys) => keys.startsWith(`${key} `))) return undefined;
    this.#begun = { key, untilMs: this.#now() + SEQUENCE_MS };
    return 'begins';
  }
}
