import { expect, test } from 'vitest';
import { budgetsByHost } from './services';

test('keepers on one host share its budget; another service there has its own', () => {
  const budgetOf = budgetsByHost();
  const main = budgetOf('logs', 'https://keeper.example/main', 20);
  expect(budgetOf('logs', 'https://keeper.example/test/', 20)).toBe(main);
  expect(budgetOf('logs', 'https://other.example/main', 20)).not.toBe(main);
  expect(budgetOf('updates', 'https://keeper.example/main', 3)).not.toBe(main);
});
