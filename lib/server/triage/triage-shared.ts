import 'server-only';
import type { DiagnosisAsked } from '@/lib/contract/codec/triage-detail';
import { missing } from '@/lib/domain/diagnosis/evidence';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { type LogSource, logSources } from '@/lib/server/explorer/log-source';
import { sharedNetworks } from '@/lib/server/explorer/networks-shared';
import type { LogSources } from '@/lib/server/explorer/parts';
import { log } from '@/lib/server/log';
import { thresholdsOf } from '@/lib/server/pending-settings';
import { processWide } from '@/lib/server/process-wide';
import { type Services, services } from '@/lib/server/services';
import { UnderWay } from '@/lib/server/under-way';
import { realTimers } from '@/lib/upstream/timers';
import { Gatherer } from './gatherer';
import { NetworkLook } from './network-look';
import { RecentlyUsed } from './recently-used';
import { RequestLook } from './request-look';
import { ROOM, withinRoom } from './row-room';
import { TriageView } from './triage-view';
import { nextTurn } from './turns';

/** What all viewers of this process share. */
export type SharedTriage = {
  sources: LogSources;
  gatherer: Gatherer;
  view: TriageView;
  /** @param keeper one of the sources; undefined while too many others are under way for a new one */
  requestLook: (keeper: LogSource, asked: DiagnosisAsked) => RequestLook | undefined;
};

/** Looks that are kept, those used last. */
const MOST_REQUESTS = 100;
/** Looks at requests under way. Each holds up to thousands of rows, and goes on for half a minute after its viewer has left. */
const MOST_LOOKING = 16;
const MOST_NETWORKS = 100;
/** An open page asks more often. What nobody looks at holds thousands of rows in vain. */
const LOOK_IDLE_MS = 120_000;

const kept = processWide<{ of: Services; shared: SharedTriage }>('pending-triage');

/** The shared work of the services as they stand; other services (a restart within a test) begin anew. */
export function sharedTriage(): SharedTriage {
  const of = services();
  const known = kept.get();
  if (known?.of === of) return known.shared;
  const shared = createShared(of);
  kept.set({ of, shared });
  return shared;
}

/** A keeper need not say which networks it serves. */
const NOT_SERVED: Failure = {
  kind: 'missing',
  service: 'logs',
  detail: 'Which networks the keeper serves is not known.',
};

function createShared({ settings }: Services): SharedTriage {
  const sources = sourcesWithin(ROOM.forOne);
  const settingsOf = (networkId: string) => thresholdsOf(settings, networkId);
  // The explorer asks the same, and remembers it for everybody.
  const networkIds = async (keeper: string): Promise<Outcome<string[]>> => {
    const ids = await sharedNetworks().served.of([keeper]);
    return ids === undefined ? failed(NOT_SERVED) : ok(ids);
  };
  const gatherer = new Gatherer({
    sources: sourcesWithin(ROOM.forMany),
    networkIds,
    settingsOf,
    now: Date.now,
    timers: realTimers,
    nextTurn,
  });
  const view = new TriageView({
    ...{ gathered: () => gatherer.gathered, settingsOf },
    ...{ now: Date.now, timers: realTimers },
  });
  const requestLook = requestLooks(gatherer);
  return { sources, gatherer, view, requestLook };
}

/** The logs as they are asked for rows that are kept. */
function sourcesWithin(room: number): LogSources {
  return new Map([...logSources()].map(([keeper, source]) => [keeper, withinRoom(source, room)]));
}

function requestLooks(gatherer: Gatherer): SharedTriage['requestLook'] {
  const idle = { timers: realTimers, idleMs: LOOK_IDLE_MS };
  const networks = new RecentlyUsed<NetworkLook>({ ...idle, most: MOST_NETWORKS });
  const looks = new RecentlyUsed<RequestLook>({ ...idle, most: MOST_REQUESTS });
  const underWay = new UnderWay({ mostOfOne: MOST_LOOKING, most: MOST_LOOKING });
  return (source, asked) => {
    const { keeper } = source;
    const { networkId, sequence, provider, tx } = asked;
    const key = JSON.stringify([keeper, networkId, sequence, provider?.toLowerCase(), tx?.toLowerCase()]);
    // One that could not begin is not to take the place of one that has.
    if (!underWay.hasRoom && !looks.has(key)) return undefined;
    const place = JSON.stringify([keeper, networkId]);
    const network = networks.get(place, () => new NetworkLook(source, networkId, 'one-request'));
    return looks.get(key, () => {
      const pending = () => gatherer.pendingOf(keeper) ?? missing('being asked for');
      const askForPending = (need: 'kept' | 'latest') => void gatherer.ask(need).catch(logBug);
      return new RequestLook(asked, {
        ...{ source, network, pending, askForPending },
        ...{ now: Date.now, timers: realTimers, underWay },
      });
    });
  };
}

export function logBug(error: unknown): void {
  log().error({ error }, 'gathering evidence met an error of ours');
}
