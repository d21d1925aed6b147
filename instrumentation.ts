/** Called by Next once per process, before the first request is answered. A build must start nothing. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs' || process.env.NEXT_PHASE === 'phase-production-build') return;
  const { startUp } = await import('@/lib/runtime/start-up');
  startUp();
}
