'use client';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { type ReactNode, useState } from 'react';
import { theme } from '@/components/ui/theme';

/** No retries but our own, and no offline mode: the dashboard usually runs on the same machine, where "offline" says nothing. */
const createQueryClient = () =>
  new QueryClient({
    defaultOptions: { queries: { retry: false, networkMode: 'always', staleTime: 30_000 } },
  });

/**
 * Theme and query cache for the whole page. `nonce` goes on the style elements that Mantine writes (CSP). The styles of the
 * theme are a file (`app/mantine-theme.css`): the library would work them out for every page, which takes a millisecond.
 */
export function Providers({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  const [queryClient] = useState(createQueryClient);
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce ?? ''}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queryClient}>
        <NuqsAdapter>{children}</NuqsAdapter>
      </QueryClientProvider>
    </MantineProvider>
  );
}
