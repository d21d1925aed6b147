/** The query of a page as Next gives it. */
export type SearchParams = Record<string, string | string[] | undefined>;
export type PageProps = { searchParams: Promise<SearchParams> };

/** The same as `URLSearchParams`, in the order of the names. */
export function urlParams(given: SearchParams): URLSearchParams {
  return new URLSearchParams(
    Object.entries(given).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one])),
  );
}
