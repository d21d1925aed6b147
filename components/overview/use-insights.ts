'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { createContext, useContext, useMemo } from 'react';
import { useQueryText } from '@/components/ui/use-query-text';
import { explainFailure } from '@/lib/core/explain-failure';
import { DAY_MS } from '@/lib/core/time';
import { useProblems } from '@/lib/insights/client/use-problems';
import { type Insights, type PanelName, readInsights } from '@/lib/insights/insights-response';
import type { Scope } from '@/lib/insights/links';
import type { ProblemsAnswer } from '@/lib/insights/problem';
import {
  DEFAULT_INSIGHTS_VIEW,
  formatInsightsQuery,
  INSIGHTS_ADDRESS,
  INSIGHTS_PARAMS,
  type InsightsView,
  insightSpanMs,
  parseInsightsUrl,
} from '@/lib/insights/view';
import { followedQuery, useFollowed } from '@/lib/requests/client/use-followed';

export function useInsightsView() {
  const { query, change } = useQueryText(INSIGHTS_PARAMS);
  const parsed = useMemo(() => parseInsightsUrl(new URLSearchParams(query)), [query]);
  const show = (next: Partial<InsightsView>) =>
    change((params) => {
      const { between, ...now } = parseInsightsUrl(params).view;
      // A new range replaces the span that was chosen in the chart.
      const base = 'range' in next || between === undefined ? now : { ...now, between };
      return new URLSearchParams(formatInsightsQuery({ ...base, ...next }));
    }, 'push');
  return { ...parsed, show };
}

export type ShowInsights = ReturnType<typeof useInsightsView>['show'];

type FirstInsights = { query: string; answer: Insights };

/** A panel that the server did not have in time is undefined. */
type Shown = {
  view: InsightsView;
  /** All configured keepers, the default one first. */
  keepers: readonly string[];
  figures: FirstInsights | undefined;
  problems: ProblemsAnswer | undefined;
};

export const OverviewContext = createContext<Shown>({
  view: DEFAULT_INSIGHTS_VIEW,
  keepers: [],
  figures: undefined,
  problems: undefined,
});

export type PanelState<Name extends PanelName> = {
  /** Undefined before the first answer. While the next view loads, it is the previous view's answer. */
  shown: (Scope & Insights & Required<Pick<Insights, Name>>) | undefined;
  isOutdated: boolean;
  trouble: { title: string; nextStep: string } | undefined;
  again: () => void;
};

/** Long spans change little. */
function refetchMs(spanMs: number): number {
  if (spanMs <= DAY_MS) return 10_000;
  return spanMs <= 7 * DAY_MS ? 30_000 : 60_000;
}

/** Panels load and are polled independently. */
export function useInsights<Name extends PanelName>(panel: Name): PanelState<Name> {
  const { view, keepers, figures: first } = useContext(OverviewContext);
  const query = formatInsightsQuery(view);
  const params = new URLSearchParams([...new URLSearchParams(query), ['panel', panel]]);
  const { queryFn, ...options } = followedQuery(`${INSIGHTS_ADDRESS}?${params}`, readInsights);
  const begun = first?.query === query && first.answer[panel] !== undefined ? first.answer : undefined;
  const result = useQuery({
    ...options,
    // The answer stays on screen until that of the next view is there.
    queryFn: async (context) => ({ ...(await queryFn(context)), view }),
    initialData: begun && { ...begun, view },
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
  const { data, isPlaceholderData } = result;
  // The first count is polled twice a second.
  const minMs = data?.counting ? 500 : refetchMs(insightSpanMs(view));
  const { trouble, again } = useFollowed(result, { minMs, isPaused: () => isPlaceholderData });
  const shown = useMemo(
    () => (data?.[panel] === undefined ? undefined : ({ ...data, keepers } as PanelState<Name>['shown'])),
    [data, panel, keepers],
  );
  return {
    shown,
    isOutdated: isPlaceholderData || (trouble !== undefined && shown !== undefined),
    trouble: trouble && explainFailure(trouble),
    again,
  };
}

export const useProblemsOfOverview = () => useProblems(useContext(OverviewContext).problems);
