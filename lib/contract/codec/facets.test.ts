import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FacetLine, isFacetOf, readFacetLine, writeFacetLine } from './facets';
import { failureOfProblem, readProblem } from './problem';

const anyText = fc.string({ unit: 'binary' });
const failure = fc.record({
  kind: fc.constantFrom('rejected' as const, 'failing' as const),
  detail: anyText,
});
const anyLine: fc.Arbitrary<FacetLine> = fc.oneof(
  fc.record({
    kind: fc.constant('count' as const),
    value: anyText,
    total: fc.bigInt({ min: 0n, max: 2n ** 64n }).map(String),
  }),
  fc.record({ kind: fc.constant('refused' as const), value: anyText, failure }),
  fc.constant({ kind: 'complete' as const }),
  fc.record({ kind: fc.constant('problem' as const), failure }),
);

describe('a line of facets', () => {
  it('reads back as it was written', () => {
    fc.assert(
      fc.property(anyLine, (line) => {
        const text = writeFacetLine(line);
        expect(text).not.toContain('\n');
        expect(readFacetLine(text)).toEqual(line);
      }),
    );
  });

  it('that is not ours is nothing', () => {
    for (const text of ['', '7', '{}', '{"value":"a"}', '{"value":"a","total":1}', '{"total":"1"}']) {
      expect(readFacetLine(text)).toBeUndefined();
    }
  });
});

it('knows what can be counted by value', () => {
  expect(['network', 'state', 'keeper', 'sender', null].map(isFacetOf)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

it('takes a refusal at our own door for a bad question', () => {
  const problem = readProblem('{"kind":"forbidden","detail":"another site"}', 403);
  expect(failureOfProblem(problem)).toEqual({ kind: 'bad-request', detail: 'another site' });
});
