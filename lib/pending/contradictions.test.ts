import { expect, it } from 'vitest';
import { DEFAULT_PENDING_SETTINGS } from '@/lib/core/pending-settings';
import { diagnose, type GroupVerdicts } from '@/lib/pending/rules/diagnose';
import { ruleInput } from '@/lib/pending/rules/rule';
import { RULE, type RuleId } from '@/lib/pending/rules/rule-ids';
import { nextAction, RULE_TITLES } from '@/lib/pending/rules/rule-texts';
import { holds, type Verdict } from '@/lib/pending/rules/verdict';
import type { KeyedIncident } from './incidents';
import { groupVerdictsOf, triageNetwork } from './incidents';
import { pendingNetwork } from './network';
import { incidentMarkdown, requestMarkdown } from './report';
import type { Evidence, LoggedRow } from './rules/evidence';
import {
  allRows,
  BASE,
  evidence,
  finishedRows,
  hashOf,
  knownPiece,
  NO_GROUP_VERDICTS,
  NOW,
  network,
  row,
  rows,
  senderOf,
} from './rules/rules-fixture';

/** No sentence of a page or report may contradict another. */

const NEVER_TOGETHER: readonly (readonly [RegExp, RegExp])[] = [
  [/restart the keeper/i, /restart (alone )?(won’t|would not)|beyond the catch-up range|reveal it manually/i],
  [
    /of the retry budget left|last attempt may be running/i,
    /exhausted|given up|older than the retry budget/i,
  ],
  [/within normal|nothing unusual/i, /slower than normal|past normal|older than the retry budget|is stuck/i],
  [/nothing needs to be done/i, /restart the keeper|reveal it manually|simulate|check that|check each/i],
  [/only this request/i, /most requests|others? (are )?stuck|this sender/i],
  [/\bwait\b/i, /restart the keeper|reveal it manually|simulate|verify it on chain/i],
  [/sender’s contract is at fault/i, /network is at fault|keeper is at fault/i],
  [/still be retrying/i, /stopped|budget is over|given up/i],
];

/** Verdicts are facts; only the next step says what to do. */
const ADVICE =
  /\b(check|verify|wait|restart the|reveal it|simulate|compare|look (at|for|in|up)|tell|widen)\b/i;

function contradictions(sentences: readonly string[]): string[] {
  return NEVER_TOGETHER.flatMap(([a, b]) => {
    const [first, second] = [a, b].map((form) => sentences.find((text) => form.test(text)));
    return first === undefined || second === undefined ? [] : [`“${first}” and “${second}”`];
  });
}

const WHOLE_NETWORK = holds(RULE.wholeNetwork, 'critical', 'Most requests since the oldest are pending');
const ONE_SENDER = holds(
  RULE.oneSender,
  'warning',
  'Most requests of this sender are pending while those of others complete',
);
const left = holds(RULE.wholeNetwork, 'notice', 'Left over after it ended', { ended: true });

const done = (count: number, change = {}) => rows(count, 500, { ageS: 90, tookS: 3, ...change });
const twin = (change = {}) => row(100, { requestTxHash: hashOf(7), ageS: 490, tookS: 3, ...change });
type World = { request: LoggedRow; evidence: Partial<Evidence>; lead?: Verdict; finished: LoggedRow[] };
type Change = (world: World) => void;

const add = (name: keyof Evidence, piece: Evidence[keyof Evidence]): Change => {
  return ({ evidence }) => Object.assign(evidence, { [name]: piece });
};

/** A page must make sense with any two of them. */
const CIRCUMSTANCES: Record<string, Change> = {
  'a completed twin': add('sameSequence', allRows([twin()])),
  'a failed twin': add('sameSequence', allRows([twin({ state: { kind: 'failed' } })])),
  'a twin of long ago': add('sameSequence', allRows([twin({ ageS: 9_000_000, requestBlock: '5' })])),
  'later ones completed': ({ finished }) => finished.push(...done(12)),
  'a quiet network': ({ evidence }) =>
    Object.assign(evidence, {
      newest: knownPiece(row(9, { ageS: 3600, requestBlock: '1500' })),
      lastDay: knownPiece(5000),
    }),
  'blocks beyond catch-up': add('newest', knownPiece(row(9, { ageS: 5, requestBlock: '5000' }))),
  'blocks within catch-up': add('newest', knownPiece(row(9, { ageS: 5, requestBlock: '1400' }))),
  'a much larger gas limit': (world) => {
    world.request = { ...world.request, gasLimit: '90000000' };
    world.finished.push(...rows(30, 2000, { ageS: 50_000, tookS: 3 }));
  },
  'a gap beside it': ({ evidence, request }) =>
    Object.assign(evidence, {
      window: allRows([request, row(98, { ageS: 510, tookS: 3 }), row(101, { ageS: 480, tookS: 3 })]),
    }),
  'a recovery of late ones': ({ finished }) => finished.push(...rows(4, 50, { ageS: 700, tookS: 650 })),
  'a batch': ({ evidence, request }) => {
    const other = row(101, { ageS: 500, requestTxHash: hashOf(100) });
    Object.assign(evidence, { sameTransaction: allRows([request, other]) });
  },
  'slow as usual': ({ finished }) => finished.push(...rows(30, 3000, { ageS: 50_000, tookS: 250 })),
  'the whole network': (world) => {
    world.lead = WHOLE_NETWORK;
  },
  'one sender': (world) => {
    world.lead = ONE_SENDER;
  },
  'left over from an outage': (world) => {
    world.lead = left;
  },
};

const AGES_S = [10, 100, 350, 500, 90_000, 1_000_000];
const names = Object.keys(CIRCUMSTANCES);
const pairs = names.flatMap((name, index) => names.slice(index).map((other) => [name, other] as const));

function worldOf(ageS: number, circumstances: readonly string[]): World {
  const request = row(100, { ageS });
  const world: World = {
    request,
    evidence: { sameSequence: allRows([]), sameTransaction: allRows([]) },
    finished: [],
  };
  for (const name of circumstances) CIRCUMSTANCES[name]?.(world);
  return world;
}

const source = {
  network: { networkId: BASE, name: 'Base', testnet: false, known: true },
  origin: 'https://scope.example',
  nowMs: NOW,
};

function verdictsOf({ request, evidence: pieces, lead, finished }: World) {
  const withFinished = { ...pieces, finished: finishedRows(finished) };
  const many: GroupVerdicts = { ...NO_GROUP_VERDICTS, lead };
  const diagnosis = diagnose(ruleInput(request, evidence(withFinished), DEFAULT_PENDING_SETTINGS, NOW), many);
  const holding = diagnosis.verdicts.filter((verdict) => verdict.holds === 'yes');
  const top = diagnosis.verdicts.find(({ rule }) => rule === diagnosis.topRule);
  const action = nextAction(top, diagnosis.verdicts);
  const facts = holding.flatMap(({ rule, headline }) => [RULE_TITLES[rule], headline]);
  return { holding, top, action, facts, diagnosis };
}

it('for any two circumstances at any age, no sentence contradicts another, and advice is given once', () => {
  const together = new Set<string>();
  for (const ageS of AGES_S) {
    for (const pair of pairs) {
      const world = worldOf(ageS, pair);
      const { holding, facts, action, diagnosis } = verdictsOf(world);
      for (const verdict of holding)
        for (const other of holding) together.add(`${verdict.rule} ${other.rule}`);
      const where = `${ageS} s, ${pair.join(' and ')}`;
      expect(contradictions([...facts, action]), where).toEqual([]);
      expect(
        facts.filter((text) => ADVICE.test(text)),
        where,
      ).toEqual([]);
      const report = requestMarkdown(world.request, diagnosis, source);
      expect(report.match(/Next step/g), where).toHaveLength(1);
      const lines = report.split('\n').filter((line) => !/^[#-]|curl/.test(line));
      expect(contradictions(lines), where).toEqual([]);
    }
  }
  const seen: [RuleId, RuleId][] = [
    ...([RULE.withinNormal, RULE.slow, RULE.retryBudgetEnding, RULE.pastRetryBudget] as const).flatMap(
      (age) =>
        (
          [
            RULE.reorgedTwin,
            RULE.wholeNetwork,
            RULE.oneSender,
            RULE.networkQuiet,
            RULE.unusualGas,
            RULE.missingSequences,
            RULE.lateRecovery,
            RULE.batch,
          ] as const
        ).map((rule): [RuleId, RuleId] => [age, rule]),
    ),
    ...[
      [RULE.pastRetryBudget, RULE.beyondCatchUp],
      [RULE.pastRetryBudget, RULE.overtaken],
      [RULE.retryBudgetEnding, RULE.overtaken],
      [RULE.overtaken, RULE.beyondCatchUp],
      [RULE.overtaken, RULE.unusualGas],
      [RULE.reorgedTwin, RULE.overtaken],
      [RULE.reorgedTwin, RULE.beyondCatchUp],
    ],
    ...[
      [RULE.networkQuiet, RULE.unusualGas],
      [RULE.beyondCatchUp, RULE.lateRecovery],
      [RULE.wholeNetwork, RULE.overtaken],
      [RULE.wholeNetwork, RULE.beyondCatchUp],
      [RULE.oneSender, RULE.overtaken],
      [RULE.missingSequences, RULE.batch],
      [RULE.networkQuiet, RULE.lateRecovery],
    ],
  ] as [RuleId, RuleId][];
  expect(seen.filter(([a, b]) => !together.has(`${a} ${b}`))).toEqual([]);
});

it('the next step for requests that keepers gave up depends on their block: a restart, or by hand, never both', () => {
  const stepOf = (...circumstances: string[]) => verdictsOf(worldOf(500, circumstances)).action;
  expect(stepOf('blocks within catch-up')).toMatch(/restart the keeper/);
  expect(stepOf('blocks beyond catch-up')).toMatch(/reveal it manually/);
  expect(stepOf()).toMatch(/keeper’s log/);
  expect(stepOf('later ones completed', 'blocks beyond catch-up')).toMatch(/reveal it manually/);
  expect(stepOf('a completed twin', 'blocks within catch-up')).toMatch(/then nothing needs to be done/);
  expect(stepOf('left over from an outage', 'blocks within catch-up')).toMatch(/restart the keeper/);
  expect(verdictsOf(worldOf(10, ['a batch'])).action).toMatch(/^Wait/);
});

it('an incident, its report and the page of each of its requests name one verdict and one step', () => {
  const list = rows(12, 100, (step) => ({ ageS: 500 - step, sender: senderOf(step % 4) }));
  const outage = rows(12, 100, (step) => ({
    ageS: 30_000 - step,
    sender: senderOf(step % 4),
    requestBlock: '1',
  }));
  const few = rows(3, 100, (step) => ({ ageS: 500 - step, sender: senderOf(step) }));
  const cases = [list, outage, few].flatMap((pending) =>
    ['1400', '5000'].map((block) => ({ pending, block })),
  );
  for (const { pending, block } of cases) {
    const pieces = { newest: knownPiece(row(9, { requestBlock: block })), finished: finishedRows(done(12)) };
    const shared = {
      keeper: 'main',
      networkId: BASE,
      settings: DEFAULT_PENDING_SETTINGS,
      nowMs: NOW,
      orphaned: new Set(''),
    };
    const pendingBase = pendingNetwork(
      { ...shared, evidence: network(pieces), pending: allRows(pending) },
      pending,
    );
    const { incidents, others } = triageNetwork(pendingBase, []);
    const [incident] = incidents as [KeyedIncident];
    const { verdicts } = incident;
    const action = nextAction(verdicts[0], verdicts);
    const facts = verdicts
      .filter((verdict) => verdict.holds === 'yes')
      .flatMap(({ rule, headline }) => [RULE_TITLES[rule], headline]);
    expect(contradictions([...facts, action])).toEqual([]);
    const report = incidentMarkdown(incident, pending, source);
    expect(report.match(/Next step/g)).toHaveLength(1);
    expect(report).toContain(action.slice(0, 20));
    const many = groupVerdictsOf(
      { incidents, others: new Map([[`main/${BASE}`, others]]) },
      pending[0] as LoggedRow,
    );
    const page = diagnose(
      ruleInput(pending[0] as LoggedRow, evidence(pieces), DEFAULT_PENDING_SETTINGS, NOW),
      many,
    );
    expect(page.topRule).toBe(incident.rule);
    const top = page.verdicts.find(({ rule }) => rule === page.topRule);
    expect(nextAction(top, page.verdicts)).toBe(action);
  }
});

it('judges a request by gas limit, later ones and blocks alike on its page and among all of its network', () => {
  const seen = new Set<RuleId>();
  for (const ageS of AGES_S) {
    for (const circumstances of pairs) {
      const world = worldOf(ageS, circumstances);
      const { request, evidence, finished } = world;
      const { diagnosis } = verdictsOf(world);
      const pendingBase = pendingNetwork(
        {
          keeper: 'main',
          networkId: BASE,
          settings: DEFAULT_PENDING_SETTINGS,
          nowMs: NOW,
          orphaned: new Set(''),
          evidence: network({ ...evidence, finished: finishedRows(finished) }),
          pending: allRows([request]),
        },
        [request],
      );
      const [among] = [...pendingBase.past, ...pendingBase.withinNormal];
      const onPage = ([RULE.unusualGas, RULE.overtaken, RULE.beyondCatchUp] as const).filter((rule) =>
        diagnosis.verdicts.some((verdict) => verdict.rule === rule && verdict.holds === 'yes'),
      );
      expect(among?.causes, `${ageS} s, ${circumstances.join(' and ')}`).toEqual(onPage);
      for (const rule of onPage) seen.add(rule);
    }
  }
  expect([...seen].sort()).toEqual([RULE.beyondCatchUp, RULE.unusualGas, RULE.overtaken]);
});
