import { isFinished } from '@/lib/core/request-record';
import { formatSpan } from '@/lib/core/time';
import { ageOf, isPending, isSameHex, keysOf, type LoggedRow, queriesUsed, rowsOf } from './evidence';
import type { Rule, RuleInput } from './rule';
import { RULE } from './rule-ids';
import { isLaterRequest } from './sequence-life';
import {
  type AgeRule,
  ageHeadline,
  ageRuleOf,
  ENOUGH_FINISHED,
  gasFinding,
  gasOf,
  isStuckAge,
  MAX_GAS_LIMIT,
} from './thresholds';
import {
  AGE_WHEN_CHECKED,
  doesNotHold,
  type Figure,
  figure,
  holds,
  type Severity,
  unknownVerdict,
} from './verdict';

export const AGE_SEVERITY: Record<AgeRule, Severity> = {
  [RULE.withinNormal]: 'none',
  [RULE.slow]: 'notice',
  [RULE.retryBudgetEnding]: 'warning',
  [RULE.pastRetryBudget]: 'warning',
};

/** `missing` says that the normal age comes from the setting alone. */
export function ageRule(rule: AgeRule): Rule {
  const find = ({ request, evidence, settings, normal, nowMs }: RuleInput) => {
    const ageMs = ageOf(request, nowMs);
    const applicable = ageRuleOf(ageMs, normal, settings);
    const [retryMs, stuckMs] = [settings.retryBudgetS * 1000, settings.stuckAfterS * 1000];
    const bounds: Record<AgeRule, Figure> = {
      [RULE.withinNormal]: figure('Normal below', normal.ms, 'ms'),
      [RULE.slow]: figure('Retry budget', retryMs, 'ms'),
      [RULE.retryBudgetEnding]: figure('Last attempt ends by', stuckMs, 'ms'),
      [RULE.pastRetryBudget]: figure('Last attempt ended by', stuckMs, 'ms'),
    };
    const { p95Ms, finished, missing } = normal;
    const sample =
      p95Ms === undefined
        ? []
        : [figure('Latency p95', p95Ms, 'ms'), figure('Sample size', finished, 'rows')];
    const figures = [figure(AGE_WHEN_CHECKED, ageMs, 'ms'), bounds[applicable], ...sample];
    const details = { figures, evidence: queriesUsed(['finished', evidence.finished]) };
    if (applicable !== rule)
      return doesNotHold(rule, `Age ${formatSpan(ageMs)} is out of this range`, details);
    const headline = ageHeadline(rule, retryMs - ageMs);
    return holds(rule, AGE_SEVERITY[rule], headline, { ...details, missing });
  };
  return { isAboutPending: true, find };
}

export function blocksBehind(request: LoggedRow, newest: LoggedRow | null | undefined): bigint | undefined {
  const [block, newestBlock] = [request.requestBlock, newest?.requestBlock];
  return block === undefined || newestBlock === undefined ? undefined : BigInt(newestBlock) - BigInt(block);
}

/** The distance from `request_block_number` to the newest logged block exceeds `backlogBlocks`. */
export const beyondCatchUpRule: Rule = {
  isAboutPending: true,
  reads: ['newest'],
  find: ({ request, evidence: { newest }, settings, nowMs, normal }) => {
    const { backlogBlocks } = settings;
    const row = newest.kind === 'known' ? newest.value : undefined;
    const behind = blocksBehind(request, row);
    if (behind === undefined)
      return unknownVerdict(RULE.beyondCatchUp, 'This row, or the newest of the network, names no block');
    const basis = {
      figures: [
        figure('Blocks behind, at least', behind.toString(), 'blocks'),
        figure('Catch-up range', backlogBlocks, 'blocks'),
      ],
      proof: row ? [row.key] : [],
    };
    if (!isStuckAge(ageRuleOf(ageOf(request, nowMs), normal, settings))) {
      return doesNotHold(RULE.beyondCatchUp, 'Not older than the retry budget', basis);
    }
    if (behind < 0n && !isLaterRequest(request, row as LoggedRow)) {
      return unknownVerdict(
        RULE.beyondCatchUp,
        'the newest request has a lower block: block numbers restarted',
        basis,
      );
    }
    return behind > backlogBlocks
      ? holds(RULE.beyondCatchUp, 'warning', 'A restart alone would not pick it up', basis)
      : doesNotHold(RULE.beyondCatchUp, 'Within the catch-up range, as far as the log shows', basis);
  },
};

const GAS_HEADLINES = {
  high: 'Gas limit 10 times the p50 or more, with which few completed',
  low: 'Gas limit a tenth of the p50 or less, with which few completed',
};

/** At least 10 times the network's median, at most a tenth of it (from 20 rows on), or over 655,350,000. */
export const unusualGasRule: Rule = {
  reads: ['finished'],
  find: ({ request, gas }) => {
    const { median, rows } = gas;
    const limit = gasOf(request.gasLimit);
    if (limit === undefined) return unknownVerdict(RULE.unusualGas, 'The row has no readable gas limit');
    const finding = gasFinding(request, gas);
    const gasLimit = figure('Gas limit', limit.toString(), 'gas');
    if (finding === 'too-large') {
      const figures = [gasLimit, figure('Contract maximum', MAX_GAS_LIMIT.toString(), 'gas')];
      return holds(RULE.unusualGas, 'warning', 'Gas limit above the contract’s maximum', { figures });
    }
    if (median === undefined) {
      const why = `only ${rows} finished rows with a gas limit; ${ENOUGH_FINISHED} are needed`;
      return unknownVerdict(RULE.unusualGas, why, { figures: [gasLimit] });
    }
    const baselineFigures = [
      figure('Gas limit p50', median.toString(), 'gas'),
      figure('Sample size', rows, 'rows'),
    ];
    return finding === undefined
      ? doesNotHold(RULE.unusualGas, 'Typical gas limit, or one with which others completed', {
          figures: [gasLimit, ...baselineFigures],
        })
      : holds(RULE.unusualGas, 'notice', GAS_HEADLINES[finding], { figures: [gasLimit, ...baselineFigures] });
  },
};

/** Several rows of `sameTransaction` are requested by the transaction; those revealed by it don't count. */
export const batchRule: Rule = {
  reads: ['sameTransaction'],
  find: ({ request: { networkId, requestTxHash: hash }, evidence: { sameTransaction } }) => {
    if (hash === undefined) return unknownVerdict(RULE.batch, 'The row has no transaction');
    const rows = rowsOf(sameTransaction).filter(
      (row) => row.networkId === networkId && isSameHex(row.requestTxHash, hash),
    );
    if (rows.length < 2) return doesNotHold(RULE.batch, 'The only request of its transaction');
    const isWhole = sameTransaction.kind === 'known' && sameTransaction.value.unseen === 0;
    const [done, waiting] = [rows.filter(isFinished).length, rows.filter(isPending).length];
    return holds(RULE.batch, 'notice', `One of a batch: ${done} of ${rows.length} done`, {
      figures: [
        figure('Requests of this transaction', rows.length, 'rows'),
        figure('Done', done, 'rows'),
        figure('Pending', waiting, 'rows'),
      ],
      proof: keysOf(rows),
      covers: waiting,
      ...(isWhole ? {} : { missing: 'More requests of this transaction' }),
    });
  },
};
