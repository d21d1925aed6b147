'use client';
import { useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { fetchOfferedNetworks } from '@/lib/client/networks';
import { type PaletteCommand, type PaletteEntry, paletteSections } from '@/lib/client/palette-entries';
import { recentRequests } from '@/lib/client/palette-recents';
import { browserRecentQueries } from '@/lib/client/recent-queries';
import { useZoneSwitch } from '@/lib/client/time-style';
import { useKnownKeepers } from '@/lib/client/use-health';
import { focusContent } from './content-focus';
import { PAGES } from './pages';

const FRESH_MS = 600_000;

/** What there is to choose from. Networks come from the server when the palette is opened first, the rest is here. */
function useSources() {
  const { data: networks = [] } = useQuery({
    queryKey: ['networks', 'offered'],
    queryFn: ({ signal }) => fetchOfferedNetworks(signal),
    staleTime: FRESH_MS,
  });
  const [remembered] = useState(() => ({
    requests: recentRequests(),
    queries: browserRecentQueries().read(),
  }));
  const keepers = useKnownKeepers();
  return useMemo(() => ({ pages: PAGES, networks, keepers, ...remembered }), [networks, keepers, remembered]);
}

function useCommands(onHelp: () => void): (command: PaletteCommand) => void {
  const { setColorScheme } = useMantineColorScheme();
  const { setZone } = useZoneSwitch();
  const commands: Record<PaletteCommand, () => void> = {
    help: onHelp,
    'theme-auto': () => setColorScheme('auto'),
    'theme-light': () => setColorScheme('light'),
    'theme-dark': () => setColorScheme('dark'),
    'times-utc': () => setZone('utc'),
    'times-local': () => setZone('local'),
    'times-relative': () => setZone('relative'),
  };
  return (command) => commands[command]();
}

/** What a text finds, which of that is marked, and what happens when one is taken. */
export function usePalette(text: string, close: () => void, onHelp: () => void) {
  const router = useRouter();
  const run = useCommands(onHelp);
  const sources = useSources();
  // By its name: networks that come later push the entries below them down. Another text begins at its first entry.
  const [moved, setMoved] = useState<{ text: string; id: string | undefined }>();
  const markedId = moved?.text === text ? moved.id : undefined;
  const sections = useMemo(() => paletteSections(text, sources), [text, sources]);
  const entries = useMemo(() => sections.flatMap((section) => section.entries), [sections]);
  const marked = Math.max(
    0,
    entries.findIndex(({ id }) => id === markedId),
  );
  const mark = (index: number) => setMoved({ text, id: entries[index]?.id });

  function take(entry: PaletteEntry | undefined) {
    if (entry === undefined) return;
    // First, so that the focus is back before a page or another dialog takes it.
    close();
    if (entry.does.kind === 'run') return run(entry.does.command);
    focusContent(document);
    router.push(entry.does.path as Parameters<typeof router.push>[0]);
  }

  function press(event: KeyboardEvent) {
    const last = entries.length - 1;
    const steps: Record<string, number> = {
      ArrowDown: marked >= last ? 0 : marked + 1,
      ArrowUp: marked <= 0 ? last : marked - 1,
      PageDown: Math.min(last, marked + 8),
      PageUp: Math.max(0, marked - 8),
    };
    const next = steps[event.key];
    if (next === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (event.key === 'Enter') take(entries[marked]);
    else mark(Math.max(0, next ?? 0));
  }

  return { sections, marked: entries[marked], take, press };
}
