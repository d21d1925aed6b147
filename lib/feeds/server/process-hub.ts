import 'server-only';
import { unconfigured } from '@/lib/core/health';
import { failed, type UpdateHost } from '@/lib/core/outcome';
import { realTimers, type Timers } from '@/lib/core/timers';
import { log } from '@/lib/platform/log';
import { metrics, type StreamName } from '@/lib/platform/metrics';
import { processWide } from '@/lib/platform/process-wide';
import { services } from '@/lib/services/services';
import { type FeedHub, makeFeedHub } from './hub';
import { ProgramStreams } from './program-streams';

const processHub = processWide<FeedHub>('feed-hub');

/** Created on first use. It connects for the first client, or at the start for feeds of `FEEDS`. */
export const feedHub = () => processHub.ensure(() => makeFeedHub({ ...deps, ...measured('feeds') }));

export const openHub = () => processHub.get();

export function makeProgramStreams(host: UpdateHost): ProgramStreams {
  const { recordEnd, passedOn } = measured(host);
  return new ProgramStreams({
    ...deps,
    recordEnd,
    open: async (query, signal) =>
      (await services()[host]?.openStream(query, signal, passedOn)) ?? failed(unconfigured(host)),
  });
}

export const reportStreamError = (error: unknown) => log().error({ error }, 'stream error');

/** The timers don't keep the process alive. Exceptions of their callbacks are logged. */
const timers: Timers = {
  ...realTimers,
  after(ms, run) {
    const timer = setTimeout(() => {
      try {
        run();
      } catch (error) {
        reportStreamError(error);
      }
    }, ms).unref();
    return () => clearTimeout(timer);
  },
};
const deps = { timers, random: Math.random, reportError: reportStreamError };

function measured(stream: StreamName) {
  return {
    recordEnd: (reason: string) => {
      metrics().streamEnded(stream, reason);
      log().info({ stream, reason }, 'upstream stream ended');
    },
    passedOn: (ms: number) => metrics().passedOn(stream, ms),
  };
}
