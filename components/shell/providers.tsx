'use client';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { type ReactNode, useState } from 'react';
import { theme } from '@/components/ui/theme';

/** Our retries replace those of react-query. The server is often local, so "offline" means nothing. */
const createQueryClient = () =>
  new QueryClient({
    defaultOptions: { queries: { retry: false, networkMode: 'always', staleTime: 30_000 } },
  });

/** `nonce` is for Mantine's style elements (CSP). The theme's styles are a file, because computing them takes a ms per page. */
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
