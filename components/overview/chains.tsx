'use client';
import { Group, Paper, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { Acknowledge } from '@/components/alerts/acknowledge';
import { useNow } from '@/components/ui/clock';
import { type Column, DataTable } from '@/components/ui/data-table';
import { useNetworkName } from '@/components/ui/networks';
import { Muted, MutedInline } from '@/components/ui/text';
import { explainFailure } from '@/lib/core/explain-failure';
import { AnswerFailed, getAnswer } from '@/lib/core/gateway';
import { groupDigits } from '@/lib/core/numbers';
import { clipped, shortenHex } from '@/lib/core/text';
import { formatAge, formatSpan, MINUTE_MS } from '@/lib/core/time';
import {
  CHAINS_PATH,
  type ChainState,
  CRITICAL_DAYS,
  chainProblemId,
  chainProblems,
  MAX_STATE_AGE_MS,
  readChainsAnswer,
  WARNING_DAYS,
} from '@/lib/onchain/network-state';

/** Interval of polls: half the server's, so that no figure is much older than the server's. */
const POLL_MS = MINUTE_MS / 2;

/** Renders nothing if no network has an RPC. */
export function Chains() {
  const titleId = useId();
  const nameOf = useNetworkName();
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey: ['chains'],
    queryFn: ({ signal }) => getAnswer(CHAINS_PATH, readChainsAnswer, signal),
    refetchInterval: POLL_MS,
  });
  const nowMs = (data?.atMs ?? 0) + Math.max(0, useNow() - dataUpdatedAt);
  const chains = data?.chains ?? [];
  if (chains.length === 0) return null;
  const answering = chains.filter(({ failure }) => failure === null);
  // Failing chains have an age of their own.
  const updatedMs = Math.min(...(answering.length > 0 ? answering : chains).map(({ atMs }) => atMs));
  return (
    <Paper component="section" withBorder radius="lg" px="md" pt="sm" pb="md" aria-labelledby={titleId}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Title order={2} id={titleId}>
          Wallets and random numbers
        </Title>
        <Muted size="sm" className="num">
          Updated {formatAge(nowMs - updatedMs)} ago
        </Muted>
      </Group>
      {error instanceof AnswerFailed && (
        <Muted role="alert">{explainFailure(error.failure).title}. These figures are old.</Muted>
      )}
      <DataTable
        label="Wallets and random numbers"
        variant="plain"
        hasCards
        miw="60rem"
        columns={[...columnsAt(nowMs, nameOf), ...ageColumn(chains, nowMs), ...problemColumn(chains, nowMs)]}
        rows={chains.toSorted((a, b) => daysLeft(a) - daysLeft(b))}
        rowProps={({ keeper, networkId }) => ({ key: `${keeper} ${networkId}`, 'data-chain': networkId })}
        first={{ count: 8, noun: 'networks' }}
        unsorted="Fewest days left first"
      />
    </Paper>
  );
}

function daysLeft({ wallets, providers }: ChainState): number {
  const days = [...wallets, ...providers].flatMap((account) => account.daysLeft ?? []);
  return Math.min(Number.POSITIVE_INFINITY, ...days);
}

const WEI_DIGITS = 18;
const SHOWN_DECIMALS = 4;

/** Units of the coin, with four decimals, rounded down: `1.2345`. */
function coinAmount(wei: string): string {
  const digits = wei.padStart(WEI_DIGITS + 1, '0');
  const whole = digits.slice(0, -WEI_DIGITS);
  return `${groupDigits(whole)}.${digits.slice(-WEI_DIGITS).slice(0, SHOWN_DECIMALS)}`;
}

function Days({ days }: { days: number | null }) {
  if (days === null) return <MutedInline>–</MutedInline>;
  const tone = days < CRITICAL_DAYS ? 'bad' : days < WARNING_DAYS ? 'warn' : undefined;
  const text =
    days >= 1000
      ? 'over 1,000 d'
      : `${days < 10 ? (Math.floor(days * 10) / 10).toFixed(1) : Math.floor(days)} d`;
  return <span style={tone && { color: `var(--ks-${tone})`, fontWeight: 600 }}>{text}</span>;
}

/** The column of problems, or none if there are none. */
function problemColumn(chains: readonly ChainState[], nowMs: number): Column<ChainState>[] {
  if (chains.every((chain) => chainProblems(chain, nowMs).length === 0)) return [];
  return [
    {
      name: 'Problem',
      cell: (chain) =>
        chainProblems(chain, nowMs).map((problem) => {
          const id = chainProblemId(chain, problem);
          return (
            <Group key={id} gap="xs" data-chain-problem={problem.kind}>
              <span
                style={{ color: `var(--ks-${problem.level === 'bad' ? 'bad' : 'warn'})` }}
                title={problem.detail}
              >
                {capitalised(problem.text)}
              </span>
              <Acknowledge targets={[{ kind: 'chain', id }]} what={problem.text} />
            </Group>
          );
        }),
    },
  ];
}

const isOld = ({ atMs, failure }: ChainState, nowMs: number) =>
  failure !== null || nowMs - atMs >= MAX_STATE_AGE_MS;

/** The column of ages, or none while all figures are recent. */
function ageColumn(chains: readonly ChainState[], nowMs: number): Column<ChainState>[] {
  if (!chains.some((chain) => isOld(chain, nowMs))) return [];
  return [
    {
      name: 'Updated',
      kind: 'figure',
      cell: (chain) => (
        <span
          title={chain.failure ?? chain.host}
          style={isOld(chain, nowMs) ? { color: 'var(--ks-wait)' } : undefined}
        >
          {formatAge(nowMs - chain.atMs)} ago
        </span>
      ),
    },
  ];
}

const capitalised = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function columnsAt(nowMs: number, nameOf: (id: string) => string): Column<ChainState>[] {
  return [
    {
      name: 'Network',
      kind: 'head',
      cell: ({ networkId, keeper }) => (
        <>
          <bdi>{clipped(nameOf(networkId), 40)}</bdi>{' '}
          <MutedInline size="sm">{clipped(keeper, 40)}</MutedInline>
        </>
      ),
    },
    ...walletColumns(nowMs),
    ...PROVIDER_COLUMNS,
  ];
}

type Line = { title: string; content: ReactNode };

const walletFigure = (
  name: string,
  lineOf: (wallet: ChainState['wallets'][number]) => Line,
): Column<ChainState> => ({
  name,
  kind: 'figure',
  cell: ({ wallets }) => wallets.map((wallet) => <CellLine key={wallet.address} {...lineOf(wallet)} />),
});

const providerFigure = (
  name: string,
  lineOf: (provider: ChainState['providers'][number], isOnly: boolean) => Line,
): Column<ChainState> => ({
  name,
  kind: 'figure',
  cell: ({ providers }) =>
    providers.map((provider) => (
      <CellLine key={provider.address} {...lineOf(provider, providers.length === 1)} />
    )),
});

const CellLine = ({ title, content }: Line) => <div title={title}>{content}</div>;

/** A log too short for a figure of days is named. */
function paceTitle(perDay: string | null, days: number | null, spanMs: number | null): string {
  if (perDay === null || spanMs === null) return 'Less than an hour of the log to go by';
  const pace = `${perDay} a day, by the last ${formatSpan(spanMs)} of the log`;
  return days === null ? `${pace}: too short to say` : pace;
}

function walletColumns(nowMs: number): Column<ChainState>[] {
  return [
    {
      name: 'Wallet',
      cell: ({ wallets, revealWei }) =>
        wallets.length === 0 ? (
          <MutedInline>{revealWei === null ? 'No reveal yet' : 'Wallets not known'}</MutedInline>
        ) : (
          wallets.map(({ address, sentReveals, sampledReveals }) => (
            <div
              key={address}
              className="mono"
              title={`${address} sent ${sentReveals} of the last ${sampledReveals} reveals`}
            >
              {shortenHex(address)}
            </div>
          ))
        ),
    },
    walletFigure('Balance (native)', ({ balanceWei }) => {
      return { title: `${groupDigits(balanceWei)} wei`, content: coinAmount(balanceWei) };
    }),
    walletFigure('Wallet lasts', ({ daysLeft: days, spanMs, spentPerDayWei }) => {
      const spent = spentPerDayWei === null ? null : coinAmount(spentPerDayWei);
      return { title: paceTitle(spent, days, spanMs), content: <Days days={days} /> };
    }),
    walletFigure('Unmined', ({ nonceGap, gapSinceMs }) => {
      const isGap = nonceGap !== 0 && gapSinceMs !== null;
      if (nonceGap === null)
        return { title: 'The RPC does not tell the pending count', content: <MutedInline>–</MutedInline> };
      return {
        title: 'Transactions sent and not mined',
        content: isGap ? `${groupDigits(nonceGap)}, ${formatAge(nowMs - gapSinceMs)}` : '0',
      };
    }),
  ];
}

const PROVIDER_COLUMNS: readonly Column<ChainState>[] = [
  providerFigure('Numbers left', ({ address, numbersLeft }, isOnly) => ({
    title: `Provider ${address}`,
    content: (
      <>
        {groupDigits(numbersLeft)}
        {isOnly ? null : <span className="faint">{` ·${clipped(address.slice(-4), 4)}`}</span>}
      </>
    ),
  })),
  providerFigure('Numbers last', ({ daysLeft: days, spanMs, requestsPerDay }) => {
    const perDay = requestsPerDay === null ? null : `${groupDigits(Math.round(requestsPerDay))} requests`;
    return { title: paceTitle(perDay, days, spanMs), content: <Days days={days} /> };
  }),
  providerFigure('Fees to withdraw (native)', ({ feesWei }) => {
    return { title: `${groupDigits(feesWei)} wei`, content: coinAmount(feesWei) };
  }),
];
