import type { ListedRecord, ListedRow } from './requests-response';

/** Chosen records in the order of the table, without unreadable rows. */
export function recordsOf(rows: readonly ListedRow[], keys: ReadonlySet<string>): ListedRecord[] {
  return rows.filter((row) => row.kind === 'record').filter(({ key }) => keys.has(key));
}

/** Transaction hashes, each once: several requests may share a transaction. */
export function selectedHashes(records: readonly ListedRecord[]): string[] {
  return [...new Set(records.flatMap(({ requestTxHash }) => requestTxHash ?? []))];
}

/** Rows in the form of an NDJSON export: the service's own text with the keeper appended. */
export function selectedNdjson(records: readonly ListedRecord[]): string {
  const line = ({ rawJson, keeper }: ListedRecord) =>
    `${rawJson.slice(0, -1)},"keeper":${JSON.stringify(keeper)}}\n`;
  return records.map(line).join('');
}
