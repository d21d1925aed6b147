export type SearchParams = Record<string, string | string[] | undefined>;
export type PageProps = { searchParams: Promise<SearchParams> };

/** The query of a page, ordered by its names. */
export function urlParams(params: SearchParams): URLSearchParams {
  return new URLSearchParams(
    Object.entries(params).flatMap(([name, value]) => [value ?? []].flat().map((item) => [name, item])),
  );
}
