import { expect, it } from 'vitest';
import { clockSkewSentence } from './health';

const EFFECTS = { ahead: 'all looks younger', behind: 'all looks older' };
const main = { keeper: 'main', offByMs: -600_000 };
const test = { keeper: 'test', offByMs: -300_000 };

it('names the keeper if there are several', () => {
  expect(clockSkewSentence([main], EFFECTS, false)).toBe(
    'The request log service’s clock is 10 min 00 s behind this dashboard’s, by the dates of its answers and rows: all looks older. Either clock may be off.',
  );
  expect(clockSkewSentence([{ keeper: 'main', offByMs: 120_000 }], EFFECTS, true)).toBe(
    'The clock of keeper main’s request log service is 2 min 00 s ahead of this dashboard’s, by the dates of its answers and rows: all looks younger. Either clock may be off.',
  );
});

it('names all clocks that are off in the same direction as the worst one', () => {
  const ahead = { keeper: 'third', offByMs: 90_000 };
  expect(clockSkewSentence([test, ahead, main], EFFECTS, true)).toBe(
    'The clocks of the request log services of keepers test, main are up to 10 min 00 s behind this dashboard’s, by the dates of their answers and rows: all looks older. Either clock may be off.',
  );
});
