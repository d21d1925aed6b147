import { MINUTE_MS } from '@/lib/core/time';

/** Time after which the URL of the Blob is revoked. The browser must have begun to read it by then. */
const ADDRESS_MS = MINUTE_MS;

/** Downloads a file in the browser. */
export function saveFile(file: Blob, fileName: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), ADDRESS_MS);
}
