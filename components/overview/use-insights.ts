'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { createContext, useContext, useMemo } from 'react';
import { useQueryText } from '@/components/ui/use-query-text';
import { explainFailure, mayPassByItself, nextAttemptMs } from '@/lib/core/explain-failure';
import { AnswerFailed, getAnswer } from '@/lib/core/gateway';
import { type Network, unknownNetwork } from '@/lib/core/network';
import { type Insights, type Panel, readInsights } from '@/lib/insights/answer';
import type { Scope } from '@/lib/insights/links';
import { PROBLEMS_ADDRESS, type ProblemsAnswer, readProblems } from '@/lib/insights/problems';
import {
  formatInsightsQuery,
  INSIGHTS_ADDRESS,
  INSIGHTS_PARAMS,
  type InsightsView,
  insightSpanMs,
  parseInsightsUrl,
} from '@/lib/insights/view';
import { useAskedAgain } from '@/lib/requests/use-revision';

/** The URL is the view: what it says, what of it can't be read, and how to change it. */
export function useInsightsView() {
  const { query, change } = useQueryText(INSIGHTS_PARAMS);
  const parsed = useMemo(() => parseInsightsUrl(new URLSearchParams(query)), [query]);
  const show = (next: Partial<InsightsView>) =>
    change((params) => {
      const { between, ...now } = parseInsightsUrl(params).view;
      // Another range is no part of it.
      const kept = 'range' in next || between === undefined ? now : { ...now, between };
      return new URLSearchParams(formatInsightsQuery({ ...kept, ...next }));
    }, 'push');
  return { ...parsed, show };
}

export type ShowInsights = ReturnType<typeof useInsightsView>['show'];

/** An answer that the server put into the page. */
export type FirstInsights = { query: string; answer: Insights };

type Shown = {
  view: InsightsView;
  keepers: readonly string[];
  networks: readonly Network[];
  first: FirstInsights | undefined;
};

/** What all panels of a page share. */
export const OverviewContext = createContext<Shown>({
  view: { range: '24h', keepers: [], networks: [] },
  keepers: [],
  networks: [],
  first: undefined,
});

/** The name of a network; one that nobody knows is named by its id. */
export function useNetworkName(): (networkId: string) => string {
  const { networks } = useContext(OverviewContext);
  return useMemo(() => {
    const names = new Map(networks.map(({ networkId, name }) => [networkId, name]));
    return (networkId) => names.get(networkId) ?? unknownNetwork(networkId).name;
  }, [networks]);
}

const answerFailure = (error: Error | null) => (error instanceof AnswerFailed ? error.failure : undefined);

/** A failure that may pass is asked for again by itself. */
const AGAIN = {
  retry: (_attempts: number, error: Error) => {
    const failure = answerFailure(error);
    return failure !== undefined && mayPassByItself(failure);
  },
  retryDelay: (attempts: number, error: Error) => {
    const failure = answerFailure(error);
    return (failure && nextAttemptMs(failure, attempts + 1, Math.random())) ?? 60_000;
  },
};

/** Long spans change little: they are asked for anew less often, in milliseconds. */
const PACES: readonly [spanMs: number, leastMs: number][] = [
  [24 * 3_600_000, 10_000],
  [7 * 24 * 3_600_000, 30_000],
  [Number.POSITIVE_INFINITY, 60_000],
];

/** What is shown of a panel. */
export type PanelState<Name extends Panel> = {
  /** Undefined before the first answer; that of the view before while the next one is on its way. */
  shown: (Scope & Insights & Required<Pick<Insights, Name>>) | undefined;
  isOutdated: boolean;
  /** In words, where the last attempt failed. */
  trouble: { title: string; todo: string } | undefined;
  again: () => void;
};

/** One panel of the view, as the index moves on. Each loads by itself. */
export function useInsights<Name extends Panel>(panel: Name): PanelState<Name> {
  const { view, keepers, first } = useContext(OverviewContext);
  const query = formatInsightsQuery(view);
  const begun = first?.query === query && first.answer[panel] !== undefined ? first.answer : undefined;
  const asked = useQuery({
    queryKey: ['insights', panel, query],
    queryFn: async ({ signal }) => {
      const path = `${INSIGHTS_ADDRESS}?${new URLSearchParams([...new URLSearchParams(query), ['panel', panel]])}`;
      return { view, answer: await getAnswer(path, readInsights, signal) };
    },
    initialData: begun && { view, answer: begun },
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    ...AGAIN,
  });
  const { data, error, failureReason, isPlaceholderData, refetch } = asked;
  const failure = answerFailure(failureReason ?? error);
  const spanMs = insightSpanMs(view);
  const leastMs = PACES.find(([longest]) => spanMs <= longest)?.[1] ?? 60_000;
  const isSettled = failure !== undefined || isPlaceholderData || data === undefined;
  useAskedAgain(isSettled ? 'settled' : data.answer, asked, leastMs);
  const shown = useMemo(() => {
    const figures = data?.answer[panel];
    return data === undefined || figures === undefined
      ? undefined
      : ({ ...data.answer, view: data.view, keepers } as PanelState<Name>['shown']);
  }, [data, panel, keepers]);
  return {
    shown,
    isOutdated: isPlaceholderData || (failure !== undefined && shown !== undefined),
    trouble: failure && explainFailure(failure),
    again: () => void refetch(),
  };
}

/** What is wrong now, from what the server rendered on. */
export function useProblems(first: ProblemsAnswer | undefined) {
  const asked = useQuery({
    queryKey: [PROBLEMS_ADDRESS],
    queryFn: ({ signal }) => getAnswer(PROBLEMS_ADDRESS, readProblems, signal),
    initialData: first,
    staleTime: 2_000,
    refetchInterval: 10_000,
    ...AGAIN,
  });
  const failure = answerFailure(asked.failureReason ?? asked.error);
  useAskedAgain(failure === undefined ? asked.data : 'settled', asked, 2_000);
  return { answer: asked.data, trouble: failure && explainFailure(failure) };
}
