import { expect, test } from 'vitest';
import { budgetsByHost } from './services';

test('keepers on one host share its budget, whatever the path', () => {
  const budgetOf = budgetsByHost();
  const main = budgetOf('logs', 'https://keeper.example/main', 20);
  expect(budgetOf('logs', 'https://keeper.example/test/', 20)).toBe(main);
  expect(budgetOf('logs', 'https://other.example/main', 20)).not.toBe(main);
});

test('another service on the same host has a budget of its own', () => {
  const budgetOf = budgetsByHost();
  expect(budgetOf('updates', 'https://one.example', 3)).not.toBe(budgetOf('logs', 'https://one.example', 20));
});
