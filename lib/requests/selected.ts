import type { ListedRecord, ListedRow } from './requests-response';

/** The selected rows that are readable, in the order of the table. */
export function recordsOf(rows: readonly ListedRow[], keys: ReadonlySet<string>): ListedRecord[] {
  return rows.filter((row) => row.kind === 'record').filter(({ key }) => keys.has(key));
}

/** The transaction hashes of the requests, without repetition: several requests may share one. */
export function selectedHashes(records: readonly ListedRecord[]): string[] {
  return [...new Set(records.flatMap(({ requestTxHash }) => requestTxHash ?? []))];
}

/** The rows as an NDJSON export writes them: the service's own text, with the keeper appended. */
export function selectedNdjson(records: readonly ListedRecord[]): string {
  const line = ({ rawJson, keeper }: ListedRecord) =>
    `${rawJson.slice(0, -1)},"keeper":${JSON.stringify(keeper)}}\n`;
  return records.map(line).join('');
}
