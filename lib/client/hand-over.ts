/** What came of an attempt to copy. `text` where the browser lets no page write to the clipboard: to be copied by hand. */
export type CopyResult =
  | { kind: 'copied' }
  | { kind: 'by-hand'; text: string }
  | { kind: 'none'; why: string };

/** The parts of the browser that copying takes, given so that a test can stand in for them. */
export type CopyPlace = { writeText: (text: string) => Promise<void> };

/**
 * Copies a text that has to be fetched first.
 * @param load the text, or why there is none
 */
export async function copyLoaded(
  load: () => Promise<{ ok: true; text: string } | { ok: false; why: string }>,
  place: CopyPlace | undefined,
): Promise<CopyResult> {
  const loaded = await load();
  if (!loaded.ok) return { kind: 'none', why: loaded.why };
  const { text } = loaded;
  if (place === undefined) return { kind: 'by-hand', text };
  try {
    await place.writeText(text);
    return { kind: 'copied' };
  } catch {
    // Refused, or so late that the browser no longer ties it to the click.
    return { kind: 'by-hand', text };
  }
}
