'use client';
import { ServiceCards } from '@/components/overview/service-cards';
import { CountsSkeleton, StateCounts } from '@/components/overview/state-counts';
import { StuckIncidents } from '@/components/overview/stuck-incidents';
import { SandboxBanner } from '@/components/shell/sandbox-banner';
import { ServiceStrip } from '@/components/shell/service-strip';
import type { Health, ServiceHealth } from '@/lib/client/health';
import type { CountsAnswer } from '@/lib/client/state-counts';
import { NETWORKS } from './request-fixtures';
import { GallerySection, Specimen } from './specimen';
import { Still } from './still';
import { standingsAt } from './triage-fixtures';

function healthAt(nowMs: number): Health {
  const called = { configured: true, checkedAt: new Date(nowMs - 3000).toISOString(), latencyMs: 12.4 };
  const never = { configured: true, ok: null, checkedAt: null, latencyMs: null };
  const services: Record<string, ServiceHealth> = {
    'logs:main': { ...called, ok: true },
    'logs:a-keeper-with-a-long-name': { ...called, ok: false, kind: 'unauthorized' },
    updates: { ...called, ok: false, kind: 'unreachable' },
    upgraded: never,
    router: { ...never, configured: false },
  };
  return { status: 'ok', version: '0', source: 'live', services };
}

/** Counted, and counted before but failing now. */
function countsAt(nowMs: number): CountsAnswer {
  const failure = { kind: 'timeout', service: 'logs', detail: 'No answer within 20 seconds.' } as const;
  const good = { pending: '17', completed: '1204331', 'callback-failed': '0', failed: '12' };
  const counted = (value: string) => ({ ok: true as const, value });
  const failed = { ok: false as const, failure };
  return {
    atMs: nowMs,
    keepers: [
      {
        keeper: 'main',
        counts: {
          pending: counted(good.pending),
          completed: counted(good.completed),
          'callback-failed': counted(good['callback-failed']),
          failed: counted(good.failed),
        },
        lastGood: { atMs: nowMs, counts: good },
      },
      {
        keeper: 'test',
        counts: { pending: failed, completed: failed, 'callback-failed': failed, failed },
        lastGood: { atMs: nowMs - 90_000, counts: good },
      },
      {
        keeper: 'never',
        counts: { pending: failed, completed: failed, 'callback-failed': failed, failed },
        lastGood: undefined,
      },
    ],
  };
}

/** What the overview says of stuck requests, in every standing. */
function Stuck({ nowMs }: { nowMs: number }) {
  return standingsAt(nowMs).flatMap(({ name, view }) =>
    // The server’s failing is known by asking only.
    view.trouble === undefined ? (
      <Specimen key={name} name={`Stuck requests: ${name}`}>
        <Still>
          <StuckIncidents first={view.answer} networks={NETWORKS} />
        </Still>
      </Specimen>
    ) : (
      []
    ),
  );
}

/** The frame and the first screen. */
export function ShellSection({ nowMs }: { nowMs: number }) {
  const health = healthAt(nowMs);
  return (
    <GallerySection name="shell">
      <Specimen name="The sandbox is shown">
        <SandboxBanner />
      </Specimen>
      <Still>
        <Specimen name="Services: ok, failing, not called, not configured">
          <ServiceStrip initial={health} />
        </Specimen>
        <Specimen name="The same on the overview">
          <ServiceCards initial={health} renderedAtMs={nowMs} />
        </Specimen>
      </Still>
      <Stuck nowMs={nowMs} />
      <Still>
        <Specimen name="Counts: whole, stale, never there">
          <StateCounts keepers={['main', 'test', 'never']} first={countsAt(nowMs)} />
        </Specimen>
      </Still>
      <Specimen name="Counts that are on their way">
        <CountsSkeleton keepers={['main', 'test']} />
      </Specimen>
    </GallerySection>
  );
}
