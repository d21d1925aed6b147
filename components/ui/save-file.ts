import { MINUTE_MS } from '@/lib/core/time';

/** A Blob's address is needed until the browser has begun to read it. */
const ADDRESS_MS = MINUTE_MS;

/** Gives a file to the person, as a download of the browser. */
export function saveFile(file: Blob, fileName: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), ADDRESS_MS);
}
