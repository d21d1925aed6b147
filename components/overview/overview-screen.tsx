'use client';
import { Button, Group, Title } from '@mantine/core';
import dynamic from 'next/dynamic';
import { type ContextType, type ReactNode, useContext, useMemo } from 'react';
import { useSpanText } from '@/components/ui/charts/time-chart';
import { FilterSelect } from '@/components/ui/filter-select';
import { Segments } from '@/components/ui/inputs';
import { LiveControls } from '@/components/ui/live-controls';
import { NetworksProvider, useNetworks } from '@/components/ui/networks';
import { noticeOnFailure } from '@/components/ui/part-not-loaded';
import { Muted } from '@/components/ui/text';
import { useMomentWords } from '@/components/ui/time-style';
import { UrlProblems } from '@/components/ui/url-problems';
import { QueryProvider } from '@/components/ui/use-query-text';
import type { Network } from '@/lib/core/network';
import { clipped } from '@/lib/core/text';
import { parseIsoTime, rangeName } from '@/lib/core/time';
import {
  formatInsightsQuery,
  INSIGHT_RANGES,
  type InsightRange,
  parseInsightsUrl,
} from '@/lib/insights/view';
import { useNetworksById } from '@/lib/requests/client/use-networks';
import { Charts } from './charts';
import { Figures } from './figures';
import { Networks } from './networks-table';
import classes from './overview.module.css';
import { Problems } from './problems';
import { Failures, Senders } from './tables';
import {
  OverviewContext,
  type ShowInsights,
  useInsights,
  useInsightsView,
  useProblemsOfOverview,
} from './use-insights';

const Chains = dynamic(() => noticeOnFailure(import('./chains').then((part) => part.Chains)), { ssr: false });

type Props = Omit<ContextType<typeof OverviewContext>, 'view'> & { networks: readonly Network[] };

function canonicalQuery(params: URLSearchParams): URLSearchParams {
  return new URLSearchParams(formatInsightsQuery(parseInsightsUrl(params).view));
}

export function OverviewScreen(props: Props) {
  return (
    <QueryProvider canonical={canonicalQuery}>
      <Screen {...props} />
    </QueryProvider>
  );
}

function Screen({ keepers, networks: offered, problems, figures }: Props) {
  const { view, problems: unread, show } = useInsightsView();
  const shared = useMemo(() => ({ view, keepers, figures, problems }), [view, keepers, figures, problems]);
  return (
    <OverviewContext value={shared}>
      <Named offered={offered}>
        <Bar show={show} />
        <UrlProblems problems={unread} />
        <Problems />
        {keepers.length === 0 ? (
          <Muted>No request log service is configured. Set LOGS_URL in .env.local and start again.</Muted>
        ) : (
          <>
            <Figures />
            <Charts show={show} />
            <Networks expected={offered.length} />
            <Failures />
            <Senders />
            {/* Last on the page, because its height is not known before the chains have answered. */}
            <Chains />
          </>
        )}
      </Named>
    </OverviewContext>
  );
}

/** Includes the names of networks that a new index has not offered yet. */
function Named({ offered, children }: { offered: readonly Network[]; children: ReactNode }) {
  const { view } = useContext(OverviewContext);
  const { shown } = useInsights('networks');
  const { answer } = useProblemsOfOverview();
  const ids = useMemo(() => {
    const listed = (shown?.networks ?? []).map(({ networkId }) => networkId);
    const troubled = (answer?.problems ?? []).flatMap(({ networks }) => networks);
    return [...view.networks, ...listed, ...troubled];
  }, [view.networks, shown, answer]);
  return (
    <NetworksProvider networks={useNetworksById(offered, ids)}>
      <div className={`page ${classes.screen}`}>{children}</div>
    </NetworksProvider>
  );
}

const RANGE_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  INSIGHT_RANGES.map((range) => [range, rangeName(range)]),
);

const isRange = (text: string): text is InsightRange => INSIGHT_RANGES.some((range) => range === text);

const choiceOf = (value: string, name: string) => ({ value, label: clipped(name, 40), count: undefined });

function Bar({ show }: { show: ShowInsights }) {
  const { shown } = useInsights('figures');
  const { view, keepers } = useContext(OverviewContext);
  const networks = useNetworks();
  const moment = useMomentWords();
  const { spanOf } = useSpanText();
  const atMs = parseIsoTime(shown?.asof ?? '');
  const { between } = view;
  const choices = useMemo(() => {
    const others = view.networks.filter((id) => !networks.has(id));
    return [
      ...[...networks].map(([value, { name }]) => choiceOf(value, name)),
      ...others.map((value) => choiceOf(value, `Network ${value}`)),
    ];
  }, [networks, view.networks]);
  return (
    <Group gap="10px 16px">
      <Title order={1}>Overview</Title>
      <Muted size="sm" ml="auto" className={`num ${classes.updated}`}>
        {atMs === undefined ? '' : `Updated ${moment(atMs)}`}
      </Muted>
      <LiveControls>
        <Group gap="xs" className={classes.choices}>
          <Segments
            aria-label="Range"
            flex={{ base: '1 0 100%', sm: 'none' }}
            names={RANGE_NAMES}
            value={between === undefined ? view.range : ''}
            onChoose={(range) => isRange(range) && show({ range })}
          />
          {between === undefined ? null : (
            <Button
              w="auto"
              size="compact-sm"
              variant="light"
              aria-label={`Zoom out of ${spanOf(between.fromMs, between.toMs)}`}
              onClick={() => show({ range: view.range })}
            >
              {spanOf(between.fromMs, between.toMs)} ✕
            </Button>
          )}
          {keepers.length < 2 ? null : (
            <FilterSelect
              label="Keeper"
              all="All keepers"
              choices={[...new Set([...keepers, ...view.keepers])].map((name) => choiceOf(name, name))}
              chosen={view.keepers}
              onChoose={(chosen) => show({ keepers: chosen })}
            />
          )}
          <FilterSelect
            label="Network"
            all="All networks"
            choices={choices}
            chosen={view.networks}
            onChoose={(chosen) => show({ networks: chosen })}
          />
        </Group>
      </LiveControls>
    </Group>
  );
}
