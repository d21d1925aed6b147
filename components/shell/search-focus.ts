function labelOf(field: HTMLInputElement): string {
  return (field.getAttribute('aria-label') ?? field.labels?.[0]?.textContent ?? '').trim();
}

/** Puts the focus into the page's field labelled Search, or into its first field for searching, when one can be seen. */
export function focusSearch(page: Document): 'found' | 'none' {
  const fields = [...page.querySelectorAll<HTMLInputElement>('main input:not(:disabled)')].filter((field) =>
    field.checkVisibility(),
  );
  const named = fields.find((field) => labelOf(field) === 'Search');
  const field = named ?? fields.find((one) => one.matches('[type="search"], [role="combobox"]'));
  if (field === undefined) return 'none';
  field.focus();
  field.select();
  return 'found';
}
