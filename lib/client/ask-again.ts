import { SERVICE_TRY_ADDRESS } from '@/lib/contract/codec/service-try';

/**
 * What a press of "Try again" does. A service that our server leaves in peace since it failed again and again may be asked
 * once before its time; then `ask` runs, whether our server heard that or not.
 */
export function askAgain(ask: () => unknown): void {
  void fetch(SERVICE_TRY_ADDRESS, { method: 'POST' }).then(
    () => ask(),
    () => ask(),
  );
}
