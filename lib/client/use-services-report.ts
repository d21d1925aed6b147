'use client';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ServicesReport } from '@/lib/contract/codec/service-report';
import { checkServicesNow, fetchServices, type ServicesView, servicesViewAfter } from './service-report';

const KEY = ['services'];
const POLL_MS = 5_000;

function keep(client: QueryClient, first: ServicesReport, answer: Awaited<ReturnType<typeof fetchServices>>) {
  const before = client.getQueryData<ServicesView>(KEY) ?? viewOf(first);
  return servicesViewAfter(answer, before, Date.now());
}

function viewOf(report: ServicesReport): ServicesView {
  return { report, receivedAtMs: undefined, trouble: undefined };
}

/**
 * How the services are, from what the server rendered on. Asked for again every five seconds while the page can be seen.
 * `check` has each service asked now; `checking` while that is under way.
 */
export function useServicesReport(first: ServicesReport): {
  view: ServicesView;
  check: () => void;
  checking: 'yes' | undefined;
} {
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => keep(client, first, await fetchServices(signal)),
    initialData: () => viewOf(first),
    initialDataUpdatedAt: 0,
    staleTime: POLL_MS,
    refetchInterval: POLL_MS,
  });
  const { mutate, isPending } = useMutation({
    mutationFn: checkServicesNow,
    onSuccess: async (answer) => {
      // An answer from before the check must not take the place of this one.
      await client.cancelQueries({ queryKey: KEY });
      client.setQueryData(KEY, keep(client, first, answer));
    },
  });
  return { view: data, check: () => mutate(), checking: isPending ? 'yes' : undefined };
}
