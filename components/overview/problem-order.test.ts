import { expect, it } from 'vitest';
import type { Anomaly } from '@/lib/insights/insights-response';
import { newProblem, type Problem } from '@/lib/insights/problem';
import { byProblem } from './problem-order';

const anomaly = (keeper: string) =>
  ({ kind: 'slow', level: 'warning', keeper }) as Anomaly & { keeper: string };
const network = (networkId: string, stuck = 0, keeper = 'main', unusual: Anomaly[] = []) => ({
  keeper,
  networkId,
  unusual,
  pending: { pending: stuck, stuck, oldestUs: null },
});
const problem = (kind: Problem['kind'], networks: string[], keeper?: string): Problem =>
  newProblem({
    id: `${kind}/${networks}`,
    kind,
    level: 'bad',
    text: '',
    href: '/',
    networks,
    ...(keeper === undefined ? {} : { unusual: anomaly(keeper) }),
  });

it('a network stands by its worst problem, so that stuck requests of an incident stand above a slow network', () => {
  const slow = network('10', 0, 'main', [anomaly('main')]);
  const stuck = network('8453', 41);
  const calm = network('1');
  const problems = [problem('incident', ['8453']), problem('network', ['10'], 'main')];
  expect(byProblem([slow, calm, stuck], problems)).toEqual([stuck, slow, calm]);
});

it('without its problems, or with problems of another keeper or kind, the order is kept', () => {
  const slow = network('10', 0, 'test', [anomaly('test')]);
  const stuck = network('8453', 1);
  expect(byProblem([slow, stuck], [])).toEqual([slow, stuck]);
  expect(byProblem([stuck, slow], [problem('network', ['10'], 'main'), problem('chain', ['10'])])).toEqual([
    stuck,
    slow,
  ]);
});
