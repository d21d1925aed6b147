import type { ListedRecord, ListedRow } from './requests-response';

/** The chosen rows that can be read, in the order of the table. */
export function recordsOf(rows: readonly ListedRow[], keys: ReadonlySet<string>): ListedRecord[] {
  return rows.filter((row) => row.kind === 'record').filter(({ key }) => keys.has(key));
}

/** The hash of each request's transaction, once: several requests may share one. */
export function selectedHashes(records: readonly ListedRecord[]): string[] {
  return [...new Set(records.flatMap(({ requestTxHash }) => requestTxHash ?? []))];
}

/** The rows as lines of an NDJSON export have them: the service's own text, with the keeper added at its end. */
export function selectedNdjson(records: readonly ListedRecord[]): string {
  const line = ({ rawJson, keeper }: ListedRecord) =>
    `${rawJson.slice(0, -1)},"keeper":${JSON.stringify(keeper)}}\n`;
  return records.map(line).join('');
}
