/**
 * Something of the URL that is wrong, to be shown: which parameter, what it said, and a sentence. `used` where it was
 * read and asked for all the same.
 */
export type UrlProblem = { param: string; value: string; message: string; used?: true };
