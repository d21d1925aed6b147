import 'server-only';
import type { FailureKind } from '@/lib/core/outcome';
import type { HttpService } from '@/lib/upstream/http-service';
import { currentSettings } from './current-settings';
import { startedServices } from './services';
import { readVersion } from './version';

/** One service as its last real call left it; `ok` is null before the first. */
export type ServiceHealth = {
  configured: boolean;
  ok: boolean | null;
  kind?: FailureKind;
  /** ISO time of the last call; null before the first, like its latency. */
  checkedAt: string | null;
  latencyMs: number | null;
};

export type HealthReport = {
  status: 'ok';
  version: string;
  source: 'live' | 'sandbox';
  /** By label: `logs:<keeper>`, `updates`, `upgraded`, `router`. None while they are being started. */
  services: Record<string, ServiceHealth>;
};

/** How the dashboard and its services are, without calling any of them. */
export function currentHealth(): HealthReport {
  const started = startedServices();
  if (started === undefined) {
    const source = currentSettings().sandbox ? 'sandbox' : 'live';
    return { status: 'ok', version: readVersion(), source, services: {} };
  }
  const { version, source, logs, updates, upgraded, router } = started;
  const keepers = [...logs].map(([keeper, { http }]) => [`logs:${keeper}`, healthOf(http)] as const);
  return {
    status: 'ok',
    version,
    source,
    services: {
      ...(keepers.length > 0 ? Object.fromEntries(keepers) : { 'logs:main': healthOf(undefined) }),
      updates: healthOf(updates?.http),
      upgraded: healthOf(upgraded?.http),
      router: healthOf(router?.http),
    },
  };
}

function healthOf(http: HttpService | undefined): ServiceHealth {
  const unknown = { ok: null, checkedAt: null, latencyMs: null };
  return { configured: http !== undefined, ...unknown, ...http?.lastCall() };
}
