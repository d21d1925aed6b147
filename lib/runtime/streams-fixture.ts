import type { FeedHub } from '@/lib/feeds/server/hub';
import { processWide } from '@/lib/platform/process-wide';
import { closeAllStreams } from './streams';

export function resetStreams(): void {
  closeAllStreams();
  const hub = processWide<FeedHub>('feed-hub');
  hub.get()?.stop();
  hub.set(undefined);
  processWide('streams').set(undefined);
}
