import { MINUTE_MS } from '@/lib/core/time';

/** The browser must have begun to read the URL before it is revoked. */
const ADDRESS_MS = MINUTE_MS;

export function saveFile(file: Blob, fileName: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), ADDRESS_MS);
}
