import { describe, expect, test } from 'vitest';
import { ManualTimers } from '@/lib/core/timers-fixture';
import { type BudgetAnswer, type BudgetTicket, RateLimiter } from './rate-limiter';

function budgetOf(callsPerSecond: number) {
  const timers = new ManualTimers();
  return { timers, budget: new RateLimiter({ callsPerSecond, timers }) };
}

/** The current answer of a ticket; undefined while it waits. */
async function answerOf(ticket: BudgetTicket): Promise<BudgetAnswer | undefined> {
  return Promise.race([ticket.answer, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))]);
}

async function grantedOf(tickets: BudgetTicket[]): Promise<number> {
  const answers = await Promise.all(tickets.map(answerOf));
  return answers.filter((answer) => answer?.granted).length;
}

const many = (count: number, acquire: () => BudgetTicket) => Array.from({ length: count }, acquire);

describe('the rate limiter', () => {
  test('allows a burst of ten times the rate, then the rate', async () => {
    const { timers, budget } = budgetOf(4);
    const tickets = many(60, () => budget.acquire('user'));
    expect(await grantedOf(tickets)).toBe(40);
    timers.pass(1000);
    expect(await grantedOf(tickets)).toBe(44);
    timers.pass(2000);
    expect(await grantedOf(tickets)).toBe(52);
  });

  test('serves users before background work that waited longer', async () => {
    const { timers, budget } = budgetOf(1);
    many(10, () => budget.acquire('user'));
    const background = budget.acquire('background');
    const user = budget.acquire('user');
    timers.pass(1000);
    expect(await answerOf(background)).toBeUndefined();
    expect(await answerOf(user)).toEqual({ granted: true });
    timers.pass(1000);
    expect(await answerOf(background)).toEqual({ granted: true });
  });

  test('raises a background call when a user joins it', async () => {
    const { timers, budget } = budgetOf(1);
    many(10, () => budget.acquire('user'));
    const first = budget.acquire('background');
    const second = budget.acquire('background');
    second.promote();
    timers.pass(1000);
    expect(await answerOf(first)).toBeUndefined();
    expect(await answerOf(second)).toEqual({ granted: true });
  });

  test('refuses at once when more calls wait than ten seconds can serve', async () => {
    const { budget } = budgetOf(2);
    many(20 + 20, () => budget.acquire('user'));
    expect(await answerOf(budget.acquire('user'))).toEqual({ granted: false, retryAfterS: 11 });
  });

  test('refuses after ten seconds, so that background work does not pile up behind users', async () => {
    const { timers, budget } = budgetOf(1);
    many(10, () => budget.acquire('user'));
    const background = budget.acquire('background');
    for (let second = 0; second < 10; second += 1) {
      budget.acquire('user');
      timers.pass(1000);
    }
    expect(await answerOf(background)).toMatchObject({ granted: false });
  });

  test('refills to one burst, not beyond', async () => {
    const { timers, budget } = budgetOf(1);
    many(10, () => budget.acquire('user'));
    timers.pass(3_600_000);
    expect(await grantedOf(many(15, () => budget.acquire('user')))).toBe(10);
  });

  test('passes the place of a cancelled call to the next one', async () => {
    const { timers, budget } = budgetOf(1);
    many(10, () => budget.acquire('user'));
    const first = budget.acquire('user');
    const second = budget.acquire('user');
    first.withdraw();
    timers.pass(1000);
    expect(await answerOf(first)).toMatchObject({ granted: false });
    expect(await answerOf(second)).toEqual({ granted: true });
    expect(timers.pending).toBe(0);
  });
});
